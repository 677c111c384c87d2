//! Compilers with their dependencies: cargo, Go, Maven and make.

use std::path::Path;

use super::desk::{Desk, SANDBOXED, Way};

#[test]
fn cargo_builds_and_tests_with_a_dependency() {
    let Some(desk) = Desk::with(&["cargo"]) else {
        return;
    };
    desk.file("Cargo.toml", "[package]\nname = \"work\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nitoa = \"1\"\n[workspace]\n");
    desk.file("src/main.rs", "fn main() { println!(\"{}\", itoa::Buffer::new().format(42)); }\n#[test]\nfn it() { main() }\n");
    if desk.prepare("cargo fetch").is_none() {
        return;
    }
    desk.work_everywhere(
        "cargo build && cargo test",
        "rm -rf target",
        "cargo build -q && target/debug/work | grep 42 && cargo test -q",
    );
    // What was built outside is not built again inside: paths and times are the same.
    desk.work(Way::Outside, "cargo build -q");
    for way in SANDBOXED {
        let done = desk.try_to(way, "cargo build");
        assert!(
            done.code == 0 && !done.err.contains("Compiling"),
            "{way:?}: {}",
            done.err
        );
    }
    // Where nothing is unpacked yet, the command does it for itself.
    desk.work(Way::Outside, "rm -rf ~/.cargo/registry/src target");
    desk.work(Way::Command, "cargo build -q");
    assert!(!desk.home.join(".cargo/registry/src").exists());
}

#[test]
fn cargo_unpacks_a_package_in_a_session() {
    let Some(desk) = Desk::with(&["cargo"]) else {
        return;
    };
    desk.file("Cargo.toml", "[package]\nname = \"work\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nitoa = \"1\"\n[workspace]\n");
    desk.file("src/lib.rs", "pub use itoa::Buffer;\n");
    if desk
        .prepare("cargo fetch && rm -rf ~/.cargo/registry/src")
        .is_none()
    {
        return;
    }
    desk.work(
        Way::SessionCaches,
        "cargo build -q && ls ~/.cargo/registry/src/*/",
    );
    assert!(!desk.home.join(".cargo/registry/src").exists());
}

#[test]
fn go_tests_a_project_and_a_module_from_the_cache() {
    let Some(desk) = Desk::with(&["go", "python3"]) else {
        return;
    };
    desk.file(
        "go.mod",
        "module example.org/work\n\ngo 1.19\n\nrequire example.org/dep v1.0.0\n",
    );
    desk.file("work_test.go", "package work\n\nimport (\n\t\"testing\"\n\n\t\"example.org/dep\"\n)\n\nfunc TestIt(t *testing.T) {\n\tif dep.Answer() != 42 {\n\t\tt.Fatal()\n\t}\n}\n");
    // A proxy that is a folder, so that no other host is needed.
    let proxy = r#"
import os, zipfile
at = 'proxy/example.org/dep/@v'
os.makedirs(at)
mod = 'module example.org/dep\n\ngo 1.19\n'
open(at + '/list', 'w').write('v1.0.0\n')
open(at + '/v1.0.0.info', 'w').write('{"Version": "v1.0.0"}')
open(at + '/v1.0.0.mod', 'w').write(mod)
with zipfile.ZipFile(at + '/v1.0.0.zip', 'w') as file:
    file.writestr('example.org/dep@v1.0.0/go.mod', mod)
    file.writestr('example.org/dep@v1.0.0/dep.go', 'package dep\n\nfunc Answer() int { return 42 }\n')
"#;
    desk.file("proxy.py", proxy);
    let warm = "python3 proxy.py && GONOSUMDB='*' GOFLAGS=-mod=mod GOPROXY=file://$PWD/proxy go mod download && GONOSUMDB='*' GOFLAGS=-mod=mod GOPROXY=file://$PWD/proxy go mod tidy && rm -rf proxy";
    if desk.prepare(warm).is_none() {
        return;
    }
    desk.work_everywhere("go test ./...", "go clean -cache", "go test ./...");
    desk.work(Way::Outside, "go clean -modcache");
}

#[test]
fn maven_compiles_and_tests_offline() {
    let repository = Path::new("/usr/share/maven-repo");
    let Some(desk) = Desk::with(&["mvn", "javac"]) else {
        return;
    };
    if !repository
        .join("org/apache/maven/plugins/maven-surefire-plugin")
        .exists()
    {
        eprintln!(
            "NOT CHECKED: real work with mvn: Debian's maven-repo has no maven-surefire-plugin"
        );
        return;
    }
    desk.file("pom.xml", POM);
    desk.file(
        "src/main/java/work/Work.java",
        "package work;\npublic class Work { public static int answer() { return 42; } }\n",
    );
    desk.file("src/test/java/work/WorkTest.java", "package work;\nimport static org.junit.Assert.assertEquals;\npublic class WorkTest { @org.junit.Test public void it() { assertEquals(42, Work.answer()); } }\n");
    let warm = "mkdir -p ~/.m2 && cp -rL /usr/share/maven-repo ~/.m2/repository";
    // Java takes the home folder from the system, not from HOME.
    let test = "export MAVEN_OPTS=-Duser.home=$HOME; mvn -B -q -o test && ls target/surefire-reports/*.txt";
    let warm = &format!("{warm} && {test} && rm -rf target");
    if desk.prepare(warm).is_none() {
        return;
    }
    desk.work_everywhere("mvn -o test", "rm -rf target", test);
}

const POM: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>work</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies>
<build><plugins>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
<plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
</plugins></build></project>
"#;

#[test]
fn make_compiles_and_runs() {
    let Some(desk) = Desk::with(&["make", "cc"]) else {
        return;
    };
    desk.file(
        "Makefile",
        "test: work\n\t./work | grep 42\nwork: work.c\n\tcc -o $@ $<\n",
    );
    desk.file(
        "work.c",
        "#include <stdio.h>\nint main(void) { puts(\"42\"); return 0; }\n",
    );
    desk.work_everywhere("make test", "rm -f work", "make test");
}
