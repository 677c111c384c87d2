//! Names that agents give to tools of MCP servers.

/// Server and tool of a joined name `mcp__server__tool`; none if it is no such name, or can be read in two ways.
pub fn split_mcp(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("mcp__")?;
    let places: Vec<usize> = (1..rest.len())
        .filter(|at| rest.get(*at..).is_some_and(|rest| rest.starts_with("__")))
        .collect();
    match places.as_slice() {
        [at] => Some((rest.get(..*at)?, rest.get(at + 2..)?)).filter(|(_, tool)| !tool.is_empty()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_name_that_splits_two_ways_is_not_split() {
        assert_eq!(
            split_mcp("mcp__github__get_issue"),
            Some(("github", "get_issue"))
        );
        for name in [
            "mcp__a__b__c",
            "mcp__a___b",
            "mcp__a",
            "mcp____b",
            "mcp__a__",
            "github__x",
            "mcp__",
            "",
        ] {
            assert_eq!(split_mcp(name), None, "{name}");
        }
    }
}
