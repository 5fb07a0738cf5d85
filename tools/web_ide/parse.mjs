// Compiles the specs as the Kaitai Web IDE does (the npm build of the compiler, debug mode, JavaScript) and parses
// files with them. Reads lines of JSON {spec, path} and writes for each a line of JSON {tree, error}.
//
// usage: node parse.mjs FORMATS_DIRECTORY < jobs > trees
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import vm from 'node:vm';
import ksc from 'kaitai-struct-compiler';
import KaitaiStream from 'kaitai-struct/KaitaiStream.js';
import YAML from 'js-yaml';

const formats = process.argv[2];
const loadSpec = name => YAML.load(fs.readFileSync(path.join(formats, `${name}.ksy`), 'utf8'), { schema: YAML.CORE_SCHEMA });
const importer = { importYaml: async name => loadSpec(name) };

// The generated modules are UMD: without a module loader they define their class in the global object.
const sandbox = vm.createContext({ KaitaiStream });
const classes = new Map();

async function classOf(spec) {
  if (!classes.has(spec)) {
    for (const source of Object.values(await ksc.compile('javascript', loadSpec(spec), importer, true)))
      vm.runInContext(source, sandbox);
    const name = spec.split('_').map(word => word[0].toUpperCase() + word.slice(1)).join('');
    classes.set(spec, sandbox[name][name]);
  }
  return classes.get(spec);
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
  const { spec, path: file } = JSON.parse(line);
  const Root = await classOf(spec);
  for (const global of Object.values(sandbox))
    for (const constructor of Object.values(global))
      if (typeof constructor === 'function' && constructor.prototype?._read)
        watch(constructor);
  const data = fs.readFileSync(file);
  const root = new Root(new KaitaiStream(data.buffer.slice(data.byteOffset, data.byteOffset + data.length), 0));
  let error = null;
  try {
    root._read();
  } catch (caught) {
    error = caught.name;
  }
  process.stdout.write(JSON.stringify({ tree: treeOf(root), error }) + '\n');
}
