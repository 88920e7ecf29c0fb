import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Ports } from '../../src/model/ports.ts'
import { type FileChange, render, type RenderOptions, type RenderResult } from '../../src/pipeline/commands/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { gitShell } from '../servers/git-server.ts'

/** The result of rendering a fleet, with all changes at once. */
export interface FleetRender extends RenderResult {
  readonly changes: readonly FileChange[]
}

/** A fleet repository on disk, which is edited, rendered and committed as people do. */
export class FleetFolder {
  readonly folder: string
  readonly ports: Ports

  /** @param folder absolute path; it is made when something is written */
  constructor(folder: string, ports: Ports = createNodePorts()) {
    this.folder = folder
    this.ports = ports
  }

  /** The absolute path of a file or folder of the fleet. */
  path(path: string): string {
    return join(this.folder, path)
  }

  has(path: string): boolean {
    return existsSync(this.path(path))
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8')
  }

  /** The names in a folder, sorted; none when it is not there. */
  entries(path: string): readonly string[] {
    return this.has(path) ? readdirSync(this.path(path)).sort() : []
  }

  /** The files below a folder by their path relative to it, sorted; none when it is not there. */
  filesBelow(path: string): readonly string[] {
    if (!this.has(path)) return []
    return readdirSync(this.path(path), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(this.path(path).length + 1))
      .sort()
  }

  write(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    writeFileSync(this.path(path), text)
  }

  /** Writes files by path, and removes those without a content. */
  change(files: Readonly<Record<string, string | Uint8Array | null>>): void {
    for (const [path, content] of Object.entries(files)) {
      if (content === null) this.remove(path)
      else this.write(path, content)
    }
  }

  /**
   * Replaces a text, everywhere, or what an expression matches.
   * @throws Error when the file holds no such text
   */
  edit(path: string, from: string | RegExp, to: string): void {
    const text = this.read(path)
    const edited = typeof from === 'string' ? text.replaceAll(from, () => to) : text.replace(from, to)
    if (edited === text) throw new Error(`${path} holds no ${String(from)}`)
    this.write(path, edited)
  }

  /** @throws Error when it is not there */
  remove(path: string): void {
    rmSync(this.path(path), { recursive: true })
  }

  /** Copies a folder or file from anywhere. */
  copy(from: string, to: string): void {
    cpSync(from, this.path(to), { recursive: true })
  }

  /** Renders the whole fleet, as far as the options say nothing else. */
  async render(options: Partial<RenderOptions> = {}): Promise<FleetRender> {
    const whole = { start: this.folder, clusters: [], stacks: [], check: false, allowEmpty: false }
    const result = await render({ ...whole, overwriteEdited: false, ...options }, this.ports, () => undefined)
    return { ...result, changes: [...result.changes] }
  }

  /** Runs git in the fleet; its output without the line end. */
  git(...words: readonly string[]): string {
    return gitShell.run('exec git "$@"', words, this.folder).trimEnd()
  }

  /** Commits everything that is there, also when nothing changed, and returns the commit. */
  commit(message = 'a step'): string {
    if (!this.has('.git')) this.git('init', '-q')
    gitShell.run('git add -A && exec git commit --allow-empty -qm "$1"', [message], this.folder)
    const reference = /^ref: (.*)\n$/.exec(this.read('.git/HEAD'))?.[1] ?? ''
    // what was just written stands in a file of its own
    return this.read(`.git/${reference === '' ? 'HEAD' : reference}`).trimEnd()
  }
}
