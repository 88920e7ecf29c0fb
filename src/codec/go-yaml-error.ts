/** Text that go-yaml would not read; the message is go-yaml's. */
export class YamlError extends Error {
  /** UTF-16 offset of the problem. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.name = 'YamlError'
    this.offset = offset
  }
}
