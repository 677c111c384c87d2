//! Names of variables in small letters that programs or shells read from their environment.
//!
//! A variable that is exported already stays exported when a line assigns to it or loops over it. So such a name is never a script's own,
//! and setting it changes every program behind it. Names in capitals are taken for read unless [`is_own_name`](super::variables::is_own_name) knows them.

/// Whole names. Most are special to zsh or tcsh, which tie them to their settings.
const NAMES: &[&str] = &[
    "path",
    "fpath",
    "cdpath",
    "manpath",
    "mailpath",
    "module_path",
    "fignore",
    "psvar",
    "prompt",
    "prompt2",
    "prompt3",
    "rprompt",
    "promptvars",
    "status",
    "argv",
    "pipestatus",
    "signals",
    "watch",
    "watchfmt",
    "histchars",
    "history",
    "historywords",
    "histfile",
    "options",
    "aliases",
    "galiases",
    "saliases",
    "functions",
    "commands",
    "nameddirs",
    "userdirs",
    "usergroups",
    "jobtexts",
    "jobdirs",
    "jobstates",
    "parameters",
    "modules",
    "keymaps",
    "widgets",
    "builtins",
    "reswords",
    "patchars",
    "terminfo",
    "termcap",
    "errnos",
    "sysparams",
    "epochtime",
    "mapfile",
    "zle_highlight",
    "auto_resume",
    "reply",
    "autologout",
    "dirstack",
    "loginsh",
    "precmd",
    "preexec",
    "periodic",
    "chpwd",
    "zshexit",
    "funcstack",
    // Read by TeX, by Autoconf and by the scripts that they make.
    "openin_any",
    "openout_any",
    "shell_escape",
    "shell_escape_commands",
    "error_line",
    "half_error_line",
    "max_print_line",
    "trailer_m4",
    "perllibdir",
    "pkgdatadir",
    // Read by graphics libraries and by the loader of fonts.
    "vblank_mode",
    "allow_rgb10_configs",
    // Read by mail programs, which take every setting from the environment.
    "sendmail",
];

/// How names begin that a family of programs reads in small letters. Most programs read only capitals.
const PREFIXES: &[&str] = &[
    // Package managers of Node read their settings in any case, and programs made with the package `rc` under their own name.
    "npm_",
    "pnpm_",
    "yarn_",
    "bower_",
    "jspm_",
    "lerna_",
    "prebuild_",
    "node_gyp_",
    "node_config",
    // Shells.
    "zsh_",
    "dis_",
    "fish_",
    "zle_",
    "zftp_",
    // Ruby's version manager.
    "rvm_",
    // TeX, Autoconf, esy and MSBuild.
    "autom4te_",
    "aclocal_",
    "automake_",
    "ac_cv_",
    "lt_cv_",
    "am_cv_",
    "texmf",
    "mktex",
    "kpathsea_",
    "cur__",
    "esy__",
    "msbuild",
    // Graphics drivers and browsers in a terminal.
    "mesa_",
    "allow_glsl_",
    "lynx_",
    "w3m_",
    // Loaders.
    "ld_",
    "dyld_",
];

/// How names end.
const ENDINGS: &[&str] = &[
    "_proxy",
    "_askpass",
    "_preload",
    "_library_path",
    "_userconfig",
    "_globalconfig",
];

/// Whether a program or a shell reads a name of small letters from its environment.
pub(crate) fn is_read_by_programs(name: &str) -> bool {
    NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::is_read_by_programs;
    use crate::expand::variables::is_own_name;

    #[test]
    fn finding_j_03_names_that_programs_read_are_nobodys_own() {
        for name in
            "npm_config_userconfig npm_config_cache npm_execpath yarn_rc_filename pnpm_config_store_dir http_proxy ldap_proxy my_own_proxy \
            fish_function_path bower_directory rvm_path autom4te_perllibdir path prompt openout_any ld_preload"
                .split_whitespace()
        {
            assert!(is_read_by_programs(name) && !is_own_name(name), "{name}");
        }
    }

    #[test]
    fn finding_j_03_names_of_scripts_stay_their_own() {
        for name in "f i x file files dir name line count result out tmp branch commit sha n total url version msg body row col key value test_file \
            git_root git_sha git_branch git_status pkg pkgs port host base target src dst npm node docker cmd args item items found old_name new_name \
            date_str head_sha file_name find_result make_out sort_key image tag container user_name path_name root_dir user temp home shell node_version python_version docker_image go_files aws_region force"
            .split_whitespace()
        {
            assert!(is_own_name(name), "{name}");
        }
    }
}
