/** Thrown by a function where the evaluation fails; the message holds no values. */
export class CelFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CelFailure'
  }
}
