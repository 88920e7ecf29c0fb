import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDocument, type Document } from 'yaml'
import type { Commit } from './fleet-life.ts'

/** Changes one file of a tree: its document, with the path below `rendered`. */
export type EditFile = (document: Document, path: string) => void

let copies = 0

/** A copy of a commit with a fault in it. */
export function plant(commit: Commit, edit: EditFile, renames: Readonly<Record<string, string>> = {}): Commit {
  const tree = `${commit.tree}-planted-${String(++copies)}`
  cpSync(commit.tree, tree, { recursive: true })
  const rendered = join(tree, 'rendered')
  for (const path of readdirSync(rendered, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!path.endsWith('.yaml') || path.includes('/.')) continue
    const file = join(rendered, path)
    const before = readFileSync(file, 'utf8')
    const document = parseDocument(before)
    edit(document, path)
    const after = document.toString({ lineWidth: 0 })
    if (after !== parseDocument(before).toString({ lineWidth: 0 })) writeFileSync(file, after)
  }
  for (const [from, to] of Object.entries(renames)) renameSync(join(rendered, from), join(rendered, to))
  return { ...commit, tree }
}
