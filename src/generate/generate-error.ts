/**
 * Something that cannot be made. The message has sprig's words where sprig has some, and holds no password, key or
 * plaintext.
 */
export class GenerateError extends Error {
  /** The message without what it quotes of what was given. */
  readonly unquoted: string

  constructor(message: string, { unquoted = message, ...options }: ErrorOptions & { readonly unquoted?: string } = {}) {
    super(message, options)
    this.name = 'GenerateError'
    this.unquoted = unquoted
  }
}
