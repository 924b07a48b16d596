/** The text of a bundle as the script that `STARTER` runs; every line keeps its number. */
export const asScript = (text: string): string => `(function(module,exports){"use strict";${text}})`;

/** What V8 made of a script bundle, for this release of Node. */
export const compiledFile = (bundleFile: string): string => `${bundleFile}.${process.version}`;

/** Under this name a process that had to compile its script bundle gives what V8 has made of it. */
export const COMPILED = "agent-evaluator.compiled";

/**
 * The file that a process starts. It runs the code beside it under its own name, from what V8 made of it in an
 * earlier process if that was kept, which halves the time it takes. Runs may only read what was kept.
 * A process that only imports it has the code compiled by Node, which then knows how to import for it.
 */
export const STARTER = [
  'const fs=process.getBuiltinModule("fs"),vm=process.getBuiltinModule("vm");',
  'const text=fs.readFileSync(__filename+".code","utf8"),bundle={exports:{}};',
  // Nothing is kept before the first check, and V8 itself refuses what it cannot use.
  'const kept=()=>{try{return fs.readFileSync(__filename+"."+process.version)}catch{}};',
  "const start=()=>{const script=new vm.Script(text,{filename:__filename,cachedData:kept(),",
  "importModuleDynamically:vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER});",
  `if(script.cachedDataRejected!==false)globalThis[Symbol.for(${JSON.stringify(COMPILED)})]=()=>script.createCachedData();`,
  "return script.runInThisContext()};",
  "const load=()=>{const code=new(process.getBuiltinModule('module'))(__filename);",
  'code._compile("module.exports="+text,__filename);return code.exports};',
  "(require.main===module?start():load())(bundle,bundle.exports);exports.user=bundle.exports.user;\n",
].join("");
