// Parses files with generated classes, and prints all fields and instances that these have.
//
// Reads lines of class, path and numbers that are the spec's parameters, parted by tabs; writes a line of JSON
// {tree, error} for each. Names of fields have neither capitals nor underscores, bytes are hex, enums their numbers.
//
// usage: node trees.cjs DIRECTORY < jobs > trees, where NODE_PATH has kaitai-struct, and DIRECTORY the classes
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const KaitaiStream = require('kaitai-struct/KaitaiStream');

const classes = path.resolve(process.argv[2]);

function treeOf(value) {
  if (value instanceof Uint8Array)
    return Buffer.from(value).toString('hex');
  if (Array.isArray(value))
    return value.map(treeOf);
  if (value === null || typeof value !== 'object')
    return value;
  const tree = {};
  for (const name of [...Object.keys(value), ...Object.getOwnPropertyNames(Object.getPrototypeOf(value))]) {
    if (name.startsWith('_') || name === 'constructor')
      continue;
    try {
      const field = value[name];
      if (field !== undefined)
        tree[name.toLowerCase()] = treeOf(field);
    } catch (error) {
      tree[name.toLowerCase()] = { error: error.name };
    }
  }
  return tree;
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [name, file, ...parameters] = line.split('\t');
    const Root = require(path.join(classes, name))[name];
    const data = fs.readFileSync(file);
    const stream = new KaitaiStream(data.buffer.slice(data.byteOffset, data.byteOffset + data.length), 0);
    let answer;
    try {
      answer = { tree: treeOf(new Root(stream, null, null, ...parameters.map(Number))), error: null };
    } catch (error) {
      answer = { error: error.name };
    }
    process.stdout.write(JSON.stringify(answer) + '\n');
  }
}

main();
