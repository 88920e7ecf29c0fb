/** Where to listen. */
export interface ListenAddress {
  /** Name or address; empty: all addresses of the machine. */
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
}

/** The answer to a GET, as plain text. */
export interface TextAnswer {
  readonly status: number
  readonly text: string
}

/** Answers until it is closed. */
export interface Listening {
  readonly port: number
  /** Cuts what is open. */
  readonly close: () => Promise<void>
}

/** Answers those who ask how we are. */
export interface Listener {
  /** Answers each path without its query. @throws ListenError */
  readonly listen: (address: ListenAddress, answer: (path: string) => TextAnswer) => Promise<Listening>
}

/** An address cannot be listened at. */
export class ListenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ListenError'
  }
}
