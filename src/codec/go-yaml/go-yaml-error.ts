/** Words of go-yaml that quote the text, and the same without the quotation. */
export interface QuotingProblem {
  readonly quoting: string
  readonly unquoted: string
}

/** Where and why a text is no YAML, without go-yaml's wrapping. */
export interface YamlProblem {
  /** go-yaml's words, without the line. */
  readonly text: string
  /** UTF-16 offset of where the thing began that went wrong: an open bracket or quote, a key without `:`. */
  readonly from: number
  /** The words without what they quote of the text, where they do: for messages that must not show what was read. */
  readonly unquoted?: string
}

/** Text that go-yaml would not read; the message is go-yaml's. */
export class YamlError extends Error {
  /** UTF-16 offset of where it was found. */
  readonly offset: number
  readonly problem: YamlProblem

  constructor(message: string, offset: number, problem: YamlProblem = { text: message, from: offset }) {
    super(message)
    this.name = 'YamlError'
    this.offset = offset
    this.problem = problem
  }

  /** The message without what it quotes of the text, which may be secret. */
  get unquoted(): string {
    const { text, unquoted } = this.problem
    return unquoted === undefined ? this.message : this.message.replace(text, () => unquoted)
  }
}
