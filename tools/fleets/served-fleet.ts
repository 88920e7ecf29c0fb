import { FleetFolder } from './fleet-folder.ts'

/** A commit that a GitOps tool can fetch, and what was done in it. */
export interface Pushed {
  readonly head: string
  /** The actions of the steps that were due. */
  readonly steps: readonly string[]
}

/** A fleet whose commits go to a bare repository that a git server serves. */
export class ServedFleet extends FleetFolder {
  readonly #remote: string

  /**
   * @param folder where the fleet lies; made when it is not there
   * @param remote the bare repository
   */
  constructor(folder: string, remote: string) {
    super(folder)
    this.#remote = remote
  }

  /** Commits all that is there, and pushes it. */
  push(): string {
    const head = this.commit()
    this.git('push', '-q', this.#remote, 'HEAD:main')
    return head
  }

  /** Renders with this checkout, commits and pushes; what was done is also told in between. */
  async step(onCommit: (steps: readonly string[]) => void = () => undefined): Promise<Pushed> {
    const result = await this.render({ allowEmpty: true })
    const steps = (result.steps ?? []).map(({ due }) => due.action)
    onCommit(steps)
    return { head: this.push(), steps }
  }
}
