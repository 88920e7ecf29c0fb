import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rollUpTypes } from '../../tools/type-roll-up.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function rolledUp(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return rollUpTypes(join(folder, 'index.d.ts'))
}

test('takes what is reached, once, and gives the second of two names another one', async () => {
  const files = {
    'index.d.ts': `export { open, type Options } from './open.ts';\nexport { Box as Case } from './box.ts';\n`,
    'open.d.ts': `import type { Options as Limits, Box } from './box.ts';
/** How it is opened. */
export interface Options extends Limits.Inner {
    readonly limits: Limits;
    readonly Box: Box<typeof own>;
}
declare const own: { readonly Options: 1 };
interface Unused {
    readonly own: Limits;
}
/** Opens. */
export declare function open(options: Options): Promise<Limits | Uint8Array>;
`,
    'box.d.ts': `/** Of a box. */
export interface Options {
    readonly [Symbol.iterator]: () => Iterator<Options['of']>;
    readonly of: string;
}
export declare class Box<Of> extends Error implements Iterable<Of> {
    private readonly of;
}
export {};
`,
  }
  expect(await rolledUp(files)).toBe(`/** Opens. */
declare function open(options: Options): Promise<Options2 | Uint8Array>;
/** How it is opened. */
interface Options extends Options2.Inner {
    readonly limits: Options2;
    readonly Box: Case<typeof own>;
}
/** Of a box. */
interface Options2 {
    readonly [Symbol.iterator]: () => Iterator<Options2['of']>;
    readonly of: string;
}
declare class Case<Of> extends Error implements Iterable<Of> {
    private readonly of;
}
declare const own: { readonly Options: 1 };
export {
  Case,
  type Options,
  open,
}
`)
})

const entry = { 'index.d.ts': `export { A } from './a.ts';\n` }

test.each([
  { name: 'a package', text: `import type { B } from 'b';\nexport type A = B;\n`, error: 'types of b would have to' },
  { name: 'an import in a type', text: `export type A = import('./b.ts').B;\n`, error: 'imported where it stands' },
  { name: 'a list of exports', text: `declare const A: 1;\nexport { A };\n`, error: 'exported apart' },
  { name: 'a default export', text: `export default A;\n`, error: 'ExportDefaultDeclaration is not known' },
  { name: 'two names at once', text: `export declare const A: 1, B: 2;\n`, error: 'several names' },
  { name: 'bad syntax', text: `export type A = ;\n`, error: 'a.d.ts' },
  { name: 'a name that is not there', text: `export {};\n`, error: 'A is declared nowhere' },
])('refuses $name', async ({ text, error }) => {
  await expect(rolledUp({ ...entry, 'a.d.ts': text })).rejects.toThrow(error)
})
