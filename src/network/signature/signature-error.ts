import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'

/** The problem of a manifest that no accepted key has signed. */
export class SignatureError extends StackmasonError {
  /** Of the manifest. */
  readonly digest: string
  /** The tag that led to it. */
  readonly tag: string

  constructor(diagnostic: Diagnostic, { digest, tag }: { readonly digest: string; readonly tag: string }) {
    super(diagnostic)
    this.digest = digest
    this.tag = tag
  }
}
