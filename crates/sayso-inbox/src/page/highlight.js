// Colours for a line of code: which ranges of it are comments, strings, numbers and keywords. It only points at text and never changes it.

/** Lines longer than this are no code that somebody reads. */
const LONGEST = 2000;

const C = { line: ["//"], block: [["/*", "*/"]], quotes: "\"'" };
const HASH = { line: ["#"], block: [], quotes: "\"'" };
const words = (text) => new Set(text.split(" "));

const JS = words(
  "async await break case catch class const continue debugger default delete do else export extends false finally for from function get if import in " +
    "instanceof let new null of return set static super switch this throw true try typeof undefined var void while with yield interface type enum implements " +
    "private public protected readonly namespace declare abstract as",
);
const LIKE_C = words(
  "auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false final float for friend goto if " +
    "inline int interface long namespace new null nullptr operator override package private protected public return short signed sizeof static string struct " +
    "super switch template this throw throws true try typedef typename union unsigned using var virtual void volatile while import extends implements instanceof " +
    "synchronized abstract boolean byte async await fun val when object companion data sealed def trait match func guard let protocol extension",
);
const SHELL = words("if then elif else fi for while until do done case esac in function select time return exit export local readonly declare set unset shift trap source eval exec");

/** How each language is written. Those that are not here have strings and numbers only. */
const LANGUAGES = new Map(
  Object.entries({
    bash: { ...HASH, words: SHELL, prefix: true },
    fish: { ...HASH, words: SHELL },
    c: { ...C, words: LIKE_C },
    cpp: { ...C, words: LIKE_C },
    csharp: { ...C, words: LIKE_C },
    java: { ...C, words: LIKE_C },
    kotlin: { ...C, words: LIKE_C },
    scala: { ...C, words: LIKE_C },
    swift: { ...C, words: LIKE_C },
    php: { ...C, line: ["//", "#"], words: LIKE_C },
    protobuf: { ...C, words: words("syntax package import message service rpc returns enum repeated optional required oneof map option reserved string bool int32 int64 uint32 uint64 bytes float double") },
    css: { line: [], block: [["/*", "*/"]], quotes: "\"'", words: words("important media supports import keyframes font-face from to") },
    go: { ...C, quotes: "\"'`", words: words("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota string int bool byte error rune") },
    rust: { ...C, quotes: "\"", words: words("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while") },
    zig: { line: ["//"], block: [], quotes: "\"'", words: words("const var fn pub return if else while for switch struct enum union try catch defer errdefer comptime inline export extern test true false null undefined usingnamespace") },
    javascript: { ...C, quotes: "\"'`", words: JS },
    typescript: { ...C, quotes: "\"'`", words: JS },
    vue: { ...C, block: [["<!--", "-->"], ["/*", "*/"]], quotes: "\"'`", words: JS },
    json: { ...C, words: words("true false null") },
    python: { ...HASH, words: words("and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case self") },
    ruby: { ...HASH, words: words("alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require") },
    perl: { ...HASH, words: words("my our local sub use package if elsif else unless while until for foreach return last next undef require bless") },
    r: { ...HASH, words: words("if else for while repeat function break next TRUE FALSE NULL NA Inf library") },
    julia: { ...HASH, words: words("function end if elseif else for while begin let module using import export struct mutable abstract return true false nothing const macro") },
    elixir: { ...HASH, words: words("def defp defmodule do end if else case cond fn when with for use import alias require true false nil") },
    erlang: { line: ["%"], block: [], quotes: "\"'", words: words("module export if case of end when fun receive after try catch begin true false") },
    haskell: { line: ["--"], block: [["{-", "-}"]], quotes: "\"", words: words("module import where let in do case of if then else data type newtype class instance deriving") },
    ocaml: { line: [], block: [["(*", "*)"]], quotes: "\"", words: words("let in rec fun function match with if then else type module open struct sig end val and begin true false") },
    lua: { line: ["--"], block: [], quotes: "\"'", words: words("and break do else elseif end false for function goto if in local nil not or repeat return then true until while") },
    sql: { line: ["--"], block: [["/*", "*/"]], quotes: "'\"", folds: true, words: words("select from where insert into values update set delete create table drop alter index join left right inner outer on and or not null is in as order by group having limit union distinct primary key foreign references grant revoke truncate begin commit rollback") },
    nix: { line: ["#"], block: [["/*", "*/"]], quotes: "\"", words: words("let in with rec inherit if then else import assert true false null") },
    powershell: { ...HASH, folds: true, words: words("function param if else elseif foreach for while do switch return try catch finally throw begin process end") },
    terraform: { line: ["#", "//"], block: [["/*", "*/"]], quotes: "\"", words: words("resource data variable output module provider terraform locals for in if true false null") },
    toml: { ...HASH, words: words("true false") },
    yaml: { ...HASH, words: words("true false null yes no on off"), spaced: true },
    ini: { line: ["#", ";"], block: [], quotes: "\"", words: words("true false") },
    dockerfile: { ...HASH, words: words("FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL AS") },
    makefile: { ...HASH, words: words("include define endef ifeq ifneq ifdef ifndef else endif export override") },
    html: { line: [], block: [["<!--", "-->"]], quotes: "\"'", words: words("") },
    xml: { line: [], block: [["<!--", "-->"]], quotes: "\"'", words: words("") },
  }),
);

const WORD = /[\p{L}_$@][\p{L}\p{N}_$-]*/uy;
const NUMBER = /(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?)[a-z\d]*/iy;

/** Ranges of a line with the names of their colours. */
export function highlight(text, language) {
  const how = LANGUAGES.get(language ?? "");
  if (!how || text.length > LONGEST) return [];
  const out = [];
  const push = (from, to, name) => out.push({ from, to, name });
  let at = 0;
  while (at < text.length) {
    const sign = text[at];
    const block = how.block.find(([start]) => text.startsWith(start, at));
    if (block) {
      const end = text.indexOf(block[1], at + block[0].length);
      const to = end < 0 ? text.length : end + block[1].length;
      push(at, to, "c");
      at = to;
    } else if (starts(how, text, at)) {
      push(at, text.length, "c");
      at = text.length;
    } else if (how.quotes.includes(sign)) {
      const to = closed(text, at);
      push(at, to, "q");
      at = to;
    } else {
      at = plain(how, text, at, push);
    }
  }
  return out;
}

/** Whether a comment starts here that goes to the end of the line. */
function starts(how, text, at) {
  const found = how.line.find((start) => text.startsWith(start, at));
  // In a shell and in YAML, `#` inside of a word is part of it.
  return found !== undefined && (found !== "#" || at === 0 || !(how.prefix || how.spaced) || /\s/.test(text[at - 1]));
}

/** Where a string ends that starts here. */
function closed(text, at) {
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === text[at]) return end + 1;
  }
  return text.length;
}

function plain(how, text, at, push) {
  WORD.lastIndex = at;
  const word = WORD.exec(text);
  if (word) {
    if (how.words.has(how.folds ? word[0].toLowerCase() : word[0])) push(at, at + word[0].length, "k");
    return at + word[0].length;
  }
  NUMBER.lastIndex = at;
  const number = /\d/.test(text[at]) ? NUMBER.exec(text) : null;
  if (number) {
    push(at, at + number[0].length, "d");
    return at + number[0].length;
  }
  return at + 1;
}
