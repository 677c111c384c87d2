# Runs apt-get, and waits while another process holds one of Debian's package locks. `./test` reads this file, and so does its test.
#
# apt-get waits for dpkg's lock by itself if it is told how long, but not for the lock of the package lists or of the archives.

apt_lock_seconds="${SAYSO_APT_LOCK_SECONDS:-600}"

apt_get() {
    local end=$((SECONDS + apt_lock_seconds)) said code
    said=$(mktemp)
    while true; do
        {
            LC_ALL=C apt-get -o "DPkg::Lock::Timeout=$apt_lock_seconds" "$@" 2>&1 >&3 3>&- | tee "$said" >&2 &&
                code=${PIPESTATUS[0]} || code=${PIPESTATUS[0]}
        } 3>&1
        if [ "$code" -eq 0 ] || ! grep -q -e 'Could not get lock' -e 'Unable to lock' "$said" || [ "$SECONDS" -ge "$end" ]; then
            break
        fi
        echo "test: another process holds the package lock; waiting for it" >&2
        sleep 2
    done
    rm -f "$said"
    return "$code"
}
