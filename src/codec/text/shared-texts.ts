/** Gives equal texts as one, where many of them are kept that were made each for itself. */
export class SharedTexts {
  readonly #texts = new Map<string, string>()

  /** The first text that was given and is equal to this one. */
  of(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    this.#texts.set(text, text)
    return text
  }
}
