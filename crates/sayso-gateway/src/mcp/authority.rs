//! Who vouches for a server that is somewhere else: its certificate is checked as always, and the root that it was found under is part of who it is.
//!
//! Keys and certificates of servers change every few weeks, their root hardly ever does: one that somebody slipped in between, or that was
//! had from another authority, stands under another root.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_cert_signed_by_trust_anchor};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, TrustAnchor, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use sayso_core::text::digest::{Digest, Encoder};
use sayso_core::text::visible::visible;
use sayso_gate::error::port_error;

use crate::error::UpstreamError;
use sayso_runtime::mcp_servers::identity::Authority;

/// The authority of a root.
fn authority(root: &TrustAnchor<'_>) -> Authority {
    let mut encoder = Encoder::new("tls authority");
    for part in [root.subject.as_ref(), root.subject_public_key_info.as_ref()] {
        encoder.text(&Digest::of_bytes(part).to_string());
    }
    let digest = encoder.finish();
    let words = common_name(&root.subject).unwrap_or_else(|| digest.to_string());
    Authority {
        digest,
        words: visible(&words).into_owned(),
    }
}

/// The roots that count.
#[derive(Clone)]
pub(super) struct Roots(Arc<RootCertStore>);

impl Roots {
    /// Those that browsers trust.
    pub(super) fn usual() -> Roots {
        Roots(Arc::new(RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        }))
    }

    /// Those in a file of the person's, and no others.
    ///
    /// # Errors
    /// When there is none in it.
    pub(super) fn of_file(path: &Path) -> Result<Roots, UpstreamError> {
        let odd = |why| UpstreamError::Roots(path.to_owned(), why);
        let bytes = std::fs::read(path).map_err(|error| odd(port_error(error)))?;
        let mut store = RootCertStore::empty();
        for found in CertificateDer::pem_slice_iter(&bytes) {
            let found = found.map_err(|error| odd(port_error(error)))?;
            store.add(found).map_err(|error| odd(port_error(error)))?;
        }
        match store.is_empty() {
            true => Err(UpstreamError::NoRoots(path.to_owned())),
            false => Ok(Roots(Arc::new(store))),
        }
    }
}

/// Checks certificates, and holds on to the root of the first one.
pub(super) struct Vouched {
    usual: Arc<WebPkiServerVerifier>,
    roots: Roots,
    provider: Arc<CryptoProvider>,
    /// Of several roots that vouch for a server, one of these is taken.
    known: Box<dyn Fn(&Authority) -> bool + Send + Sync>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    first: Option<Authority>,
    other: Option<Authority>,
}

impl fmt::Debug for Vouched {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Vouched")
    }
}

impl Vouched {
    /// Nobody has vouched yet.
    ///
    /// # Errors
    /// When the roots are of no use.
    pub(super) fn new(
        roots: &Roots,
        known: impl Fn(&Authority) -> bool + Send + Sync + 'static,
    ) -> Result<Arc<Vouched>, UpstreamError> {
        let provider = Arc::new(ring::default_provider());
        let usual = WebPkiServerVerifier::builder_with_provider(
            Arc::clone(&roots.0),
            Arc::clone(&provider),
        )
        .build();
        let usual = usual.map_err(|error| UpstreamError::Unchecked(port_error(error)))?;
        Ok(Arc::new(Vouched {
            usual,
            roots: roots.clone(),
            provider,
            known: Box::new(known),
            seen: Mutex::default(),
        }))
    }

    /// The settings of connections that are checked by this.
    ///
    /// # Errors
    /// When there are none.
    pub(super) fn config(self: &Arc<Self>) -> Result<Arc<ClientConfig>, UpstreamError> {
        let builder = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| UpstreamError::Unchecked(port_error(error)))?;
        // Nothing is left out: it checks as usual, and then one thing more.
        let builder = builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::<Vouched>::clone(self));
        Ok(Arc::new(builder.with_no_client_auth()))
    }

    /// Who vouched for the first connection.
    pub(super) fn authority(&self) -> Option<Authority> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .first
            .clone()
    }

    /// Somebody else vouched for a later one, which was not used.
    pub(super) fn is_other(&self) -> bool {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .other
            .is_some()
    }

    /// All roots that vouch for a certificate: there may be more than one way up.
    fn all(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<Vec<Authority>, Error> {
        let end = ParsedCertificate::try_from(end)?;
        let ways = self.provider.signature_verification_algorithms.all;
        let vouches = |root: &&TrustAnchor<'static>| {
            let alone = RootCertStore {
                roots: vec![(*root).clone()],
            };
            verify_server_cert_signed_by_trust_anchor(&end, &alone, between, now, ways).is_ok()
        };
        Ok(self
            .roots
            .0
            .roots
            .iter()
            .filter(vouches)
            .map(authority)
            .collect())
    }
}

impl ServerCertVerifier for Vouched {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self
            .usual
            .verify_server_cert(end, between, name, ocsp, now)?;
        let all = self.all(end, between, now)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match &seen.first {
            Some(first) if all.contains(first) => Ok(verified),
            Some(first) => {
                let other = all.first().cloned();
                let words = other.as_ref().map_or("nobody", |other| &other.words);
                let why = format!(
                    "its certificate is vouched for by `{words}` now, and was by `{}`",
                    first.words
                );
                seen.other = other;
                Err(Error::General(why))
            }
            None => {
                let known = all
                    .iter()
                    .find(|one| (self.known)(one))
                    .or(all.first())
                    .cloned();
                seen.first = known;
                seen.first
                    .as_ref()
                    .map(|_| verified)
                    .ok_or_else(|| Error::General("nobody vouches for its certificate".to_owned()))
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls12_signature(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls13_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

/// The common name in a name of X.509, or else its organisation.
fn common_name(name: &[u8]) -> Option<String> {
    // The number of an attribute (`2.5.4.3` and `2.5.4.10`), a kind of text, its length, and the text.
    let find = |oid: &[u8]| {
        let at = name.windows(oid.len()).position(|window| window == oid)?;
        let rest = name.get(at + oid.len()..)?;
        let (_kind, rest) = rest.split_first()?;
        let (length, rest) = rest.split_first()?;
        let text = rest.get(..usize::from(*length)).filter(|_| *length < 128)?;
        Some(String::from_utf8_lossy(text).into_owned())
    };
    find(&[6, 3, 0x55, 4, 3]).or_else(|| find(&[6, 3, 0x55, 4, 10]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_have_names_and_digests_of_their_own() {
        let roots = Roots::usual();
        let all: Vec<Authority> = roots.0.roots.iter().map(authority).collect();
        assert!(
            all.iter().any(|one| one.words == "ISRG Root X1"),
            "{:?}",
            all.first()
        );
        let mut digests: Vec<String> = all.iter().map(|one| one.digest.to_string()).collect();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), all.len());
    }

    #[test]
    fn a_file_without_certificates_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert!(Roots::of_file(&file).is_err());
        for text in [
            "",
            "hello",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            std::fs::write(&file, text).unwrap();
            assert!(Roots::of_file(&file).is_err(), "{text}");
        }
    }
}
