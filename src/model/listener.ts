/** Where to listen. */
export interface ListenAddress {
  /** Name or address; empty: all addresses of the machine. */
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
}

/** Files of a certificate and its private key, in PEM; they may be replaced at any time. */
export interface TlsFiles {
  readonly certificate: string
  readonly key: string
  /** Is told when those that have come cannot be used; the earlier ones stay in use. */
  readonly onProblem: (message: string) => void
  /** Milliseconds between two looks at the files. */
  readonly rereadEvery: number
}

/** The answer to a GET, as text. */
export interface TextAnswer {
  readonly status: number
  readonly text: string
  /** Plain text in UTF-8, without. */
  readonly contentType?: string
}

/** Answers until it is closed. */
export interface Listening {
  readonly port: number
  /** Cuts what is open. */
  readonly close: () => Promise<void>
}

/** Answers those who ask how we are. */
export interface Listener {
  /** Answers each path without its query, over plain HTTP where no files are given. @throws ListenError */
  readonly listen: (
    address: ListenAddress,
    answer: (path: string) => TextAnswer | Promise<TextAnswer>,
    tls?: TlsFiles,
  ) => Promise<Listening>
}

/** An address cannot be listened at. */
export class ListenError extends Error {
  readonly address: ListenAddress
  /** The part that has to be corrected. */
  readonly reason: 'address' | 'certificate'

  constructor(address: ListenAddress, message: string, options?: ErrorOptions & Partial<Pick<ListenError, 'reason'>>) {
    super(message, options)
    this.name = 'ListenError'
    this.address = address
    this.reason = options?.reason ?? 'address'
  }
}
