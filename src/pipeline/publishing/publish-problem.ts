import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { GitError } from '../../model/git.ts'
import { GitWriteError, type GitWriteReason, type PushRefusal } from '../../model/git-writer.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import type { PublishTarget } from '../../publish/choose-target.ts'
import { ownerHint } from '../../sources/committed/owner-hint.ts'

/** Runs work with git; what fails there is told for `url`. */
export async function askingGit<Result>(url: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GitError) throw new StackmasonError(gitProblem(error, shownUrl(url)), { cause: error })
    if (error instanceof GitWriteError) throw new StackmasonError(writeProblem(error), { cause: error })
    throw error
  }
}

type Problem = Diagnostic & { readonly severity: 'error' }

function gitProblem(error: GitError, url: string): Problem {
  const problem = (code: Diagnostic['code'], message: string, hint?: string): Problem => ({
    code,
    severity: 'error',
    message: `${message}: ${error.message}`,
    hint,
  })
  switch (error.reason) {
    case 'not-installed':
      return problem('GIT_FAILED', 'publish needs git', 'Install git.')
    case 'not-permitted':
      return problem('FETCH_UNAUTHORIZED', `${url} refuses access`, ACCESS)
    case 'not-found':
      return problem(
        'GIT_FAILED',
        `there is no git repository at ${url}`,
        'Servers also say this to those who may not read.',
      )
    case 'timeout':
      return problem('FETCH_TIMEOUT', `${url} did not answer in time`)
    case 'unreachable':
      return problem('FETCH_FAILED', `${url} cannot be reached`)
    case 'tls':
      return problem('FETCH_TLS', `${url} cannot be trusted`)
    case 'too-large':
      return problem('FETCH_TOO_LARGE', `${url} sends too much`)
    case 'program':
      return problem('GIT_FAILED', `git does not ask ${url}`, PROGRAM)
    case 'not-kept':
    case 'no-such-ref':
    case 'ambiguous':
    case 'damaged':
    case 'embedded':
    case 'no-branch':
    case 'other':
      // git follows a redirect with its own credentials only
      if (/returned error: 30[1278]\b/.test(error.message))
        return problem('GIT_FAILED', `the repository has moved away from ${url}`, MOVED)
      return problem(
        'GIT_FAILED',
        `git failed at ${url}`,
        /transport '.*' not allowed/.test(error.message) ? TRANSPORT : (ownerHint(error.message) ?? BY_HAND),
      )
  }
}

/** By hand the same command may work: git allows its own users more transports. */
const TRANSPORT =
  'Remotes are reached only by https, by ssh, and by the scheme of the url itself: check `git remote -v`, and url.<base>.insteadOf in the configuration of git.'

const BY_HAND = 'Run `git status` and `git fetch` in the checkout, and mend what they say.'

const MOVED =
  'Set the url of the remote to where the repository is now (`git remote set-url`), as its page shows; the credentials of the environment and the fleet follow no redirect.'

const PROGRAM =
  'Remove the setting: `git config --show-origin --list` says in which file it stands. A command for ssh goes into GIT_SSH_COMMAND.'

const ACCESS =
  'Let git reach it (a credential helper, an ssh key, the checkout step of CI), or name variables with credentials that it takes in spec.publish.forge.credentialsFrom.'

const WRITE: Readonly<Record<GitWriteReason, Pick<Diagnostic, 'code' | 'message'> & { readonly hint?: string }>> = {
  'no-identity': {
    code: 'PUBLISH_IDENTITY',
    message: 'git does not know who commits',
    hint: 'Set user.name and user.email (`git config`), or GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME and GIT_COMMITTER_EMAIL.',
  },
  'not-signed': {
    code: 'PUBLISH_SIGNATURE',
    message: 'commit.gpgSign asks for a signature, and the commit cannot be signed',
    hint: 'Check user.signingKey and gpg.format: `git commit-tree -S HEAD^{tree} -m test` shows the same.',
  },
  'unsafe-path': { code: 'PUBLISH_CHECKOUT', message: 'the commit cannot be checked out' },
  clash: { code: 'PUBLISH_CHECKOUT', message: 'the commit cannot be checked out' },
}

function writeProblem(error: GitWriteError): Problem {
  const { code, message, hint } = WRITE[error.reason]
  return { code, severity: 'error', message: `${message}: ${error.message}`, hint }
}

/** The purpose of a branch that is pushed to. */
export type PushPurpose = PublishTarget['kind']

const PROTECTED: Readonly<Record<PushPurpose, string>> = {
  branch: 'Let pull requests carry the changes (spec.publish.into: pullRequest), or allow this user to push there.',
  pullRequest:
    'Allow this user to push to branches with that beginning, or set spec.publish.branchPrefix to one that is not protected.',
  author:
    'Allow this user to push there, or run `stackmason render` on the branch, and commit and push what it writes.',
}

/** The problem of a push that the server refused for good. */
export function pushProblem(
  { status, message }: { readonly status: Exclude<PushRefusal, 'outdated'>; readonly message: string },
  { branch, purpose }: { readonly branch: string; readonly purpose: PushPurpose },
): StackmasonError {
  const refused: Readonly<Record<typeof status, Pick<Diagnostic, 'code' | 'message' | 'hint'>>> = {
    protected: {
      code: 'PUBLISH_PROTECTED',
      message: `branch ${branch} is protected`,
      hint: PROTECTED[purpose],
    },
    'not-permitted': {
      code: 'PUBLISH_PERMISSION',
      message: `branch ${branch} must not be pushed to`,
      hint: 'The token or key of git needs write access to the repository. Where git has none, spec.publish.forge.credentialsFrom names the variable of a token: docs/30-forges.md.',
    },
    refused: { code: 'PUBLISH_REFUSED', message: `the server does not take branch ${branch}` },
  }
  const { message: text, ...problem } = refused[status]
  return new StackmasonError({ severity: 'error', ...problem, message: `${text}: ${message}` })
}

/** The problem of a branch that git cannot make beside another. */
export function blockedProblem(branch: string, blocking: string): StackmasonError {
  return new StackmasonError({
    code: 'PUBLISH_REFUSED',
    severity: 'error',
    message: `branch ${branch} cannot be made: there is a branch ${blocking}, and git cannot have both`,
    hint: `Choose another name (spec.publish.branch; of pull requests spec.publish.branchPrefix), or rename or delete branch ${blocking}.`,
  })
}
