// Compiles the specs as the Kaitai Web IDE does (the npm build of the compiler, debug mode, JavaScript) and parses
// files with them. Reads lines of JSON {ksy, path, arguments}, the paths of a spec and of a file and the spec's
// parameters, and writes for each a line of JSON {tree, error, specs}; specs are the paths of the spec and of all that
// it imports.
//
// usage: node parse.mjs < jobs > trees
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import vm from 'node:vm';
import ksc from 'kaitai-struct-compiler';
import KaitaiStream from 'kaitai-struct/KaitaiStream.js';
import YAML from 'js-yaml';

const loadSpec = ksy => YAML.load(fs.readFileSync(ksy, 'utf8'), { schema: YAML.CORE_SCHEMA });

// The generated modules are UMD: without a module loader they define their class in the global object.
const sandbox = vm.createContext({ KaitaiStream });
const compiled = new Map();

async function compile(ksy) {
  if (!compiled.has(ksy)) {
    const specs = new Set([ksy]);
    const importYaml = async name => {
      if (name !== path.basename(name))
        throw new Error(`${ksy} leads to an import from another folder: ${name}`);
      const imported = path.join(path.dirname(ksy), `${name}.ksy`);
      specs.add(imported);
      return loadSpec(imported);
    };
    for (const source of Object.values(await ksc.compile('javascript', loadSpec(ksy), { importYaml }, true)))
      vm.runInContext(source, sandbox);
    const name = path.basename(ksy, '.ksy').split('_').map(word => word[0].toUpperCase() + word.slice(1)).join('');
    compiled.set(ksy, { Root: sandbox[name][name], specs: [...specs] });
  }
  return compiled.get(ksy);
}

// In debug mode an object stays in the tree when its parsing fails. The Python parsers drop all such objects
// but the root, and so do we: they are remembered here.
const failed = new WeakSet();
const watched = new WeakSet();

function watch(constructor) {
  if (watched.has(constructor))
    return;
  watched.add(constructor);
  const read = constructor.prototype._read;
  constructor.prototype._read = function () {
    try {
      return read.call(this);
    } catch (error) {
      failed.add(this);
      throw error;
    }
  };
  for (const nested of Object.values(constructor))
    if (typeof nested === 'function')
      watch(nested);
}

const snake = name => name.replace(/[A-Z]/g, letter => '_' + letter.toLowerCase());

function enumOf(debug) {
  return debug?.enumName?.split('.').reduce((object, part) => object[part], sandbox[debug.enumName.split('.')[0]]);
}

function treeOf(value, debug) {
  if (Object.prototype.toString.call(value) === '[object Uint8Array]')
    return Buffer.from(value).toString('hex');
  if (Array.isArray(value))
    return value.filter(item => !failed.has(item)).map((item, i) => treeOf(item, debug?.arr?.[i]));
  if (value === null || typeof value !== 'object')
    return enumOf(debug)?.[value]?.toLowerCase() ?? value;
  const tree = {};
  for (const name of Object.keys(value))
    if (!name.startsWith('_') && value[name] !== undefined && !failed.has(value[name]))
      tree[snake(name)] = treeOf(value[name], value._debug?.[name]);
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(value))) {
    if (name.startsWith('_') || name === 'constructor')
      continue;
    try {
      const instance = value[name];
      if (instance !== undefined)
        tree[snake(name)] = treeOf(instance, value._debug?.['_m_' + name]);
    } catch (error) {
      tree[snake(name)] = { error: error.name };
    }
  }
  return tree;
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { ksy, path: file, arguments: parameters } = JSON.parse(line);
  const { Root, specs } = await compile(ksy);
  for (const global of Object.values(sandbox))
    for (const constructor of Object.values(global))
      if (typeof constructor === 'function' && constructor.prototype?._read)
        watch(constructor);
  const data = fs.readFileSync(file);
  const stream = new KaitaiStream(data.buffer.slice(data.byteOffset, data.byteOffset + data.length), 0);
  const root = new Root(stream, null, null, ...parameters);
  let error = null;
  try {
    root._read();
  } catch (caught) {
    error = caught.name;
  }
  process.stdout.write(JSON.stringify({ tree: treeOf(root), error, specs }) + '\n');
}
