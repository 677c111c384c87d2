//! Letters of other scripts that look like ASCII: `dоcs` with a Cyrillic `о` is another folder than `docs`, and nobody sees it.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use super::fold::is_ignorable;

/// Letters that look like the ASCII letter before them, small and capital, in Cyrillic, Greek, Armenian, Cherokee, Latin and a few others.
const TWINS: [(char, &str); 63] = [
    ('a', "аɑαа⍺ạ"),
    ('b', "ƅЬьᏏᖯ"),
    ('c', "сϲᴄⲥꮯ"),
    ('d', "ԁᏧᑯꓒ"),
    ('e', "еҽ℮ꬲҿ"),
    ('f', "ƒꬵſϝք"),
    ('g', "ɡցᶃƍ"),
    ('h', "һհᏂ"),
    ('i', "іıɩιӏɪꙇ"),
    ('j', "јϳյ"),
    ('k', "κкᴋⲕ"),
    ('l', "ӏǀⅼון∣"),
    ('m', "ⅿ"),
    ('n', "ոռ"),
    ('o', "оοօഠᴏⲟסဝ໐"),
    ('p', "рρϱⲣ"),
    ('q', "ԛգզ"),
    ('r', "гᴦⲅꭇ"),
    ('s', "ѕƽꜱꮪ"),
    ('t', "τᴛ"),
    ('u', "υսʋᴜꞟ"),
    ('v', "νѵᴠט"),
    ('w', "ѡԝաᴡɯ"),
    ('x', "хχ×ᕁ"),
    ('y', "уγүყʏ"),
    ('z', "ᴢꮓ"),
    ('A', "АΑᎪᗅꓮ"),
    ('B', "ВΒᏴᗷꓐ"),
    ('C', "СϹᏟꓚ"),
    ('D', "ᎠᗞꓓⅮ"),
    ('E', "ЕΕᎬꓰ"),
    ('F', "ϜᖴꓝҒ"),
    ('G', "ԌᏀꓖ"),
    ('H', "НΗᎻꓧ"),
    ('I', "ІΙӀⲒꓲ"),
    ('J', "ЈͿᎫꓙ"),
    ('K', "КΚᏦꓗ"),
    ('L', "ᏞᒪꓡⳐ"),
    ('M', "МΜᎷꓟ"),
    ('N', "ΝⲚꓠ"),
    ('O', "ОΟՕꓳ"),
    ('P', "РΡᏢꓑ"),
    ('Q', "ⵕԚ"),
    ('R', "ᎡᏒꓣ"),
    ('S', "ЅՏᏚꓢ"),
    ('T', "ТΤᎢꓔ"),
    ('U', "Սꓴᑌ"),
    ('V', "ѴᏙꓦ"),
    ('W', "ԜᎳꓪ"),
    ('X', "ХΧꓫⵝ"),
    ('Y', "УΥҮꓬ"),
    ('Z', "ΖᏃꓜ"),
    ('0', "௦೦০୦〇"),
    ('1', "١۱"),
    ('2', "Ƨϩ"),
    ('3', "ЗӠƷʒȜ"),
    ('4', "Ꮞ"),
    ('5', "Ƽ"),
    ('6', "бᏮ"),
    ('8', "Ȣȣ"),
    ('-', "‐‑‒−˗"),
    (':', "꞉։׃ː"),
    ('~', "˜∼〜～⁓"),
];

/// The ASCII character that a character looks like.
fn twin(letter: char) -> Option<char> {
    TWINS
        .iter()
        .find(|(_, twins)| twins.contains(letter))
        .map(|(plain, _)| *plain)
}

/// The text as a person reads it: look-alike letters in ASCII, without what cannot be seen.
pub fn as_seen(written: &str) -> Cow<'_, str> {
    if written.is_ascii() {
        return Cow::Borrowed(written);
    }
    let plain = |letter: char| twin(letter).unwrap_or(letter);
    Cow::Owned(
        written
            .chars()
            .map(plain)
            .collect::<String>()
            .nfkc()
            .filter(|letter| !is_ignorable(*letter))
            .map(plain)
            .collect(),
    )
}

/// Why a path may be taken for another one by a person who reads it.
pub fn looks_like_another(written: &str) -> Option<&'static str> {
    if written.is_ascii() {
        return None;
    }
    if written
        .chars()
        .any(|letter| !letter.is_ascii() && becomes_ascii(letter))
    {
        return Some("the path holds a character that looks like an ordinary one");
    }
    let mut words = written.split(|letter: char| !letter.is_alphanumeric());
    words.find_map(|word| {
        let mixed =
            word.bytes().any(|byte| byte.is_ascii_alphabetic()) && word.chars().any(is_foreign);
        let disguised = !word.is_ascii()
            && word
                .chars()
                .all(|letter| letter.is_ascii() || twin(letter).is_some());
        (mixed || disguised)
            .then_some("the path holds letters of another alphabet that look like ordinary ones")
    })
}

/// Full-width, mathematical and other forms of ASCII characters.
fn becomes_ascii(letter: char) -> bool {
    std::iter::once(letter)
        .nfkc()
        .next()
        .is_some_and(|plain| plain.is_ascii_graphic())
}

/// A letter or digit of an alphabet that is not mixed with Latin letters within a word. Chinese, Japanese and Korean are.
fn is_foreign(letter: char) -> bool {
    let latin =
        matches!(letter, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}');
    let cjk = matches!(letter, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}');
    let twin_in_latin = latin && twin(letter).is_some() && !matches!(letter, 'ạ');
    letter.is_alphanumeric() && !letter.is_ascii() && (!latin && !cjk || twin_in_latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_j_09_look_alike_letters_are_seen() {
        for written in [
            "d\u{43e}cs/a.md",
            "docs/\u{430}.md",
            "src/p\u{430}yment.rs",
            "\u{441}\u{43e}\u{440}.md",
            "do\u{3f2}s/x",
            "\u{3bf}pt/x",
            "a\u{501}min.md",
            "READM\u{395}.md",
            "\u{ff41}.md",
            "\u{1d41a}.md",
            "docs/\u{13aa}B.md",
            "l\u{131}b/x",
            "\u{57d}ser.md",
        ] {
            assert!(looks_like_another(written).is_some(), "{written}");
        }
        assert_eq!(as_seen(".\u{435}nv"), ".env");
        assert_eq!(as_seen("d\u{43e}cs"), "docs");
        assert_eq!(as_seen("\u{ff0e}\u{200b}env"), ".env");
    }

    #[test]
    fn finding_j_09_names_in_other_languages_are_ordinary() {
        for written in [
            "café/漢字.md",
            "отчёт.md",
            "Документы/заметки.txt",
            "日本語ABC.md",
            "한국어-guide.md",
            "Ünï/naïve.md",
            "docs/für-später.md",
            "μελέτη.md",
            "שלום.txt",
            "🎉.md",
            "cafe\u{301}/x.md",
            "a–b.md",
            "नमस्ते.md",
            "Đặng-Văn.md",
        ] {
            assert_eq!(looks_like_another(written), None, "{written}");
        }
    }
}
