import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { render, type RenderResult } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { gitTestEnvironment } from '../servers/git-server.ts'

/** A fleet repository on disk, which a test edits, renders and commits as people do. */
export class FleetFolder {
  readonly #folder: string

  /** @param folder absolute path; it is made when something is written */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The absolute path of a file or folder of the fleet. */
  path(path: string): string {
    return join(this.#folder, path)
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8')
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    writeFileSync(this.path(path), text)
  }

  /**
   * Replaces a text, everywhere, or what an expression matches.
   * @throws Error when the file holds no such text
   */
  edit(path: string, from: string | RegExp, to: string): void {
    const text = this.read(path)
    const edited = typeof from === 'string' ? text.replaceAll(from, to) : text.replace(from, to)
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

  /** Renders the whole fleet; with `check` it only compares. */
  render({ check = false }: { readonly check?: boolean } = {}): Promise<RenderResult> {
    const options = { clusters: [], stacks: [], allowEmpty: true, overwriteEdited: false }
    return render({ start: this.#folder, ...options, check }, createNodePorts(), () => undefined)
  }

  /** Runs git in the fleet; its output without the line end. */
  git(...words: readonly string[]): string {
    return execFileSync('git', words, { cwd: this.#folder, encoding: 'utf8', env: gitTestEnvironment }).trimEnd()
  }

  /** Commits everything that is there, and returns the commit. */
  commit(message = 'a step'): string {
    this.git('init', '-q')
    this.git('add', '-A')
    this.git('commit', '-qm', message)
    return this.git('rev-parse', 'HEAD')
  }
}
