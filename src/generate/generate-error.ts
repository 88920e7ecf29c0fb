/**
 * Something that cannot be made. The message has sprig's words where sprig has some, and holds no password, key or
 * plaintext.
 */
export class GenerateError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'GenerateError'
  }
}
