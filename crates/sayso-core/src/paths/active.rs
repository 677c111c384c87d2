//! Files that something later runs or obeys, although they look like prose or data.

use super::autoloaded::OBEYED;
use super::layout::Group;
use super::table::{Table, table};

const ACTIVE: &[Group] = &[
    Group {
        why: "instructions for an agent",
        patterns: &[
            "agent.md",
            "agents.md",
            "agents.*.md",
            "claude.md",
            "claude.*.md",
            "gemini.md",
            "gemini.*.md",
            "qwen.md",
            "qwen.*.md",
            "crush.md",
            "crush.*.md",
            "opencode.md",
            "opencode.*.md",
            "warp.md",
            "replit.md",
            "jules.md",
            "soul.md",
            "memory.md",
            "heartbeat.md",
            "memory-bank",
            "skill.md",
            "*.mdc",
            "*.prompt.md",
            "*.instructions.md",
            "*.chatmode.md",
            "*.agent.md",
            "*.skill.md",
            "*.knowledge.md",
            "*.mode.md",
            "*.command.md",
            "llms.txt",
            "llms-*.txt",
            ".rules",
            "copilot-instructions.md",
            ".github/instructions",
            ".github/prompts",
            ".github/chatmodes",
            ".github/agents",
            ".github/skills",
            "plugin.json",
            "marketplace.json",
            "hooks.json",
            "*.mcp.json",
        ],
    },
    Group {
        why: "what a package manager installs and runs",
        patterns: &[
            "package.json",
            "package.json5",
            "package.yaml",
            "*.lock",
            "*-lock.json",
            "*-lock.yaml",
            "npm-shrinkwrap.json",
            "*.lock.json",
            "bun.lockb",
            "pnpm-workspace.yaml",
            ".pnpmfile.*",
            "bower.json",
            "composer.json",
            "deno.json*",
            "jsr.json",
            "import_map.json",
            "*requirements*.txt",
            "*requirements.in",
            "requirements/*.txt",
            "*constraints*.txt",
            "constraints/*.txt",
            "packages.txt",
            "*-packages.txt",
            "dependencies.txt",
            "deps.txt",
            "pip*.txt",
            "conda*.txt",
            "environment.txt",
            "spec-file.txt",
            "plugins.txt",
            "*zsh_plugins.txt",
            "entry_points.txt",
            "top_level.txt",
            "installed-files.txt",
            "modules.txt",
            "conan*.txt",
            "pipfile*",
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "manifest.in",
            "environment.y*ml",
            "pixi.toml",
            "uv.toml",
            "pip.conf",
            "cargo.toml",
            "rust-toolchain*",
            "build.rs",
            "go.mod",
            "go.sum",
            "go.work*",
            "gemfile*",
            "*.gemspec",
            "podfile*",
            "brewfile*",
            "vcpkg.json",
            "conanfile.*",
            "flake.nix",
            "default.nix",
            "shell.nix",
            "packages.config",
            "global.json",
            "runtime.txt",
            "apt.txt",
            ".nvmrc",
            "renovate.json*",
            ".renovaterc*",
            "dependabot.y*ml",
            ".bowerrc",
            ".yarn",
            ".changeset",
            "version.txt",
            "ads.txt",
            "app-ads.txt",
        ],
    },
    Group {
        why: "what a build runs",
        patterns: &[
            "makefile*",
            "gnumakefile",
            "*.mk",
            "*.mak",
            "cmakelists.txt",
            "cmakecache.txt",
            "cmakefiles/*",
            "compile_flags.txt",
            "*proguard*.txt",
            "consumer-rules.txt",
            "manifest.txt",
            "maskfile.md",
            "*.coffee.md",
            "*.lhs.md",
            "slides.md",
            "+page*.md",
            "+layout*.md",
            "cmakepresets.json",
            "cmakeuserpresets.json",
            "*.cmake",
            "meson.build",
            "meson_options.txt",
            "meson.options",
            "*.bzl",
            "*.bazel",
            ".bazelrc",
            "sconstruct",
            "sconscript",
            "wscript",
            "rakefile",
            "*.rake",
            "justfile",
            ".justfile",
            "taskfile*",
            "procfile*",
            "vagrantfile",
            "fastfile",
            "snakefile",
            "earthfile",
            "tiltfile",
            "pom.xml",
            "build.xml",
            "*.gradle",
            "*.gradle.kts",
            "gradle.properties",
            "*.csproj",
            "*.targets",
            "*.props",
            "dockerfile*",
            "*.dockerfile",
            "containerfile*",
            "docker-compose*",
            "compose.y*ml",
            "compose.*.y*ml",
            "docker-bake*",
            "tsconfig*.json",
            "jsconfig.json",
            "angular.json",
            "nx.json",
            "project.json",
            "lerna.json",
            "turbo.json*",
            "rush.json",
            "nest-cli.json",
            "nodemon.json",
            "vercel.json",
            "now.json",
            "firebase.json",
            "app.json",
            "netlify.toml",
            "wrangler.*",
            "*.config.*",
            "*.conf.js",
            "gulpfile*",
            "gruntfile*",
            ".*rc",
            ".*rc.*",
            "book.toml",
            "mkdocs.y*ml",
            "_config.yml",
            ".readthedocs.y*ml",
            "conf.py",
            "_ext",
            "action.y*ml",
        ],
    },
    Group {
        why: "what a test run or an interpreter loads",
        patterns: &[
            "conftest.py",
            "noxfile.py",
            "fabfile.py",
            "dodo.py",
            "tasks.py",
            "tox.ini",
            "pytest.ini",
            "mypy.ini",
            ".flake8",
            ".rspec",
            ".rubocop*.yml",
            "sitecustomize.py",
            "usercustomize.py",
            "*.pth",
            "*.ipynb",
            "cypress.json",
            "test*.txt",
            "*_test.txt",
            "jest.setup.*",
            "vitest.setup.*",
        ],
    },
    Group {
        why: "what an editor or the system runs",
        patterns: &[
            "*.code-workspace",
            "*.sublime-*",
            "launch.json",
            "tasks.json",
            "settings.json",
            "settings.local.json",
            "keybindings.json",
            "extensions.json",
            "launchsettings.json",
            "devcontainer.json",
            ".gitattributes",
            ".gitmodules",
            ".git-blame-ignore-revs",
            "*.service",
            "*.timer",
            "*.socket",
            "*.desktop",
            "*.plist",
            "*.lnk",
            "*.url",
            "crontab*",
            "*.cron",
            "cron.d",
            "startup.txt",
            "cmdline.txt",
            "user-data.txt",
            "commands.txt",
            "script.txt",
            "inventory.txt",
            "hosts.txt",
            ".editorconfig",
            ".htaccess",
            "web.config",
        ],
    },
    Group {
        why: "shell script",
        patterns: &[
            "*.sh",
            "*.sh.*",
            "*.bash",
            "*.bash.*",
            "*.zsh",
            "*.fish",
            "*.ksh",
            "*.ps1",
            "*.psm1",
            "*.bat",
            "*.cmd",
            "*.command",
            "*.py.bak",
        ],
    },
];

static TABLE: Table = table!(ACTIVE, OBEYED);

/// Whether something later runs or obeys this file, although its name looks like prose or data: `AGENTS.md`, `package.json`, `x.sh.bak`.
///
/// A list of names can only ever be a lower bound, so it takes names away from what may be written silently and never adds any.
pub fn active(canonical: &str) -> bool {
    TABLE.find(canonical, None).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::table::check_that_every_pattern_is_found;
    use super::*;

    #[test]
    fn h_71_files_that_act_are_active() {
        for path in "
            /ws/package.json /ws/.vscode/settings.json /ws/tests/conftest.py /ws/CLAUDE.md /ws/x.sh.bak /ws/AGENTS.md
            /ws/sub/agents.override.md /ws/GEMINI.md /ws/.github/copilot-instructions.md /ws/.cursor/rules/a.mdc /ws/rules/a.mdc
            /ws/skills/pdf/SKILL.md /ws/.claude/commands/x.md /ws/.github/prompts/x.md /ws/requirements.txt
            /ws/requirements-dev.txt /ws/requirements/base.txt /ws/dev-requirements.txt /ws/constraints.txt /ws/CMakeLists.txt
            /ws/meson_options.txt /ws/package-lock.json /ws/pnpm-lock.yaml /ws/Cargo.lock /ws/tsconfig.build.json
            /ws/composer.json /ws/deno.json /ws/.eslintrc.json /ws/.babelrc /ws/.swcrc /ws/jest.config.js /ws/setup.py
            /ws/docs/conf.py /ws/tox.ini /ws/pyproject.toml /ws/Makefile /ws/rules.mk /ws/Dockerfile.dev
            /ws/docker-compose.override.yml /ws/x.code-workspace /ws/MANIFEST.in /ws/Gemfile /ws/Procfile /ws/x.service
            /ws/x.desktop /ws/.gitattributes /ws/.gitmodules /ws/x.pth /ws/sitecustomize.py /ws/AGENTS~1.MD /ws/claude.md:x
            /ws/.git/hooks/x.md"
            .split_whitespace()
        {
            assert!(active(path), "{path}");
        }
    }

    #[test]
    fn plain_prose_and_data_are_not_active() {
        for path in "
            /ws/README.md /ws/INSTALL.md /ws/docs/requirements.md /ws/robots.txt /ws/data/x.json /ws/CHANGELOG.md /ws/LICENSE.txt
            /ws/tests/test_a.py /ws/src/main.rs /ws/notes.bak /ws/build/out.log /ws/agents/list.json /ws/.git/config
            /ws/claude-notes.md / /ws/skills.md /ws/.gitignore"
            .split_whitespace()
        {
            assert!(!active(path), "{path}");
        }
    }

    #[test]
    fn no_pattern_is_lost() {
        check_that_every_pattern_is_found(&TABLE, &[ACTIVE, OBEYED]);
    }
}
