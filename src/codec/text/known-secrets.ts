/** A form of secrets that is known by itself, wherever it stands. */
interface KnownForm {
  /** The thing in words of a message: `a token of GitHub`. */
  readonly what: string
  /** A text without it has none: a quick look first. */
  readonly mark: RegExp
  /** Bounded, and without groups. */
  readonly pattern: RegExp
  /** True where nothing else looks like it, so that a check may refuse it in any object. */
  readonly isCertain?: true
}

/**
 * The forms, by those who issue them; each with the page that tells it. A form without a mark of its own, as a
 * password, is not here.
 */
const forms: readonly KnownForm[] = [
  {
    // https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
    what: 'a token of GitHub',
    mark: /gh[opsur]_|github_pat_/,
    pattern: /\b(?:gh[opsur]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{16,255})/g,
    isCertain: true,
  },
  {
    // https://docs.gitlab.com/security/tokens/#token-prefixes
    what: 'a token of GitLab',
    mark: /gl[a-z]{2,5}-|GR1348941/,
    pattern:
      /\b(?:gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|wt|soat|ffct)-[A-Za-z0-9_.-]{16,255}|GR1348941[A-Za-z0-9_-]{16,255})/g,
    isCertain: true,
  },
  {
    // https://docs.slack.dev/authentication/tokens
    what: 'a token of Slack',
    mark: /xox[a-z]|xapp-|hooks\.slack/,
    pattern:
      /\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,255}|\bxapp-[A-Za-z0-9-]{16,255}|\bhooks\.slack\.com\/services\/[A-Za-z0-9/]{8,255}/g,
    isCertain: true,
  },
  {
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
    what: 'a key of AWS',
    mark: /A[BCKS][CI]A/,
    pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?:[ \t:,;|"']{1,4}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=]))?/g,
  },
  {
    // https://docs.cloud.google.com/docs/authentication/api-keys, .../authentication/token-types
    what: 'a key of Google',
    mark: /AIza|ya29|GOCSPX/,
    pattern: /\b(?:AIza[A-Za-z0-9_-]{30,60}|ya29\.[A-Za-z0-9_-]{16,1000}|GOCSPX-[A-Za-z0-9_-]{20,60})/g,
  },
  {
    // https://docs.stripe.com/keys, https://docs.stripe.com/webhooks
    what: 'a key of Stripe',
    mark: /_live_|_test_|whsec_/,
    pattern: /\b(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{24,100})/g,
  },
  {
    // https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format/
    what: 'a token of npm',
    mark: /npm_/,
    pattern: /\bnpm_[A-Za-z0-9]{30,60}/g,
    isCertain: true,
  },
  {
    // https://pypi.org/help/#apitoken
    what: 'a token of PyPI',
    mark: /pypi-/,
    pattern: /\bpypi-[A-Za-z0-9_-]{30,1000}/g,
    isCertain: true,
  },
  {
    // https://developer.hashicorp.com/vault/docs/concepts/tokens#token-prefixes
    what: 'a token of Vault',
    mark: /hv[brs]\./,
    pattern: /\bhv[brs]\.[A-Za-z0-9_-]{16,1000}/g,
    isCertain: true,
  },
  {
    // https://docs.docker.com/security/access-tokens/
    what: 'a token of Docker',
    mark: /dckr_/,
    pattern: /\bdckr_[po]at_[A-Za-z0-9_-]{16,255}/g,
    isCertain: true,
  },
  {
    // https://docs.digitalocean.com/reference/api/create-personal-access-token/
    what: 'a token of DigitalOcean',
    mark: /do[opr]_v1_/,
    pattern: /\bdo[opr]_v1_[a-f0-9]{32,64}/g,
    isCertain: true,
  },
  {
    // https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
    what: 'a key of SendGrid',
    mark: /SG\./,
    pattern: /\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}/g,
    isCertain: true,
  },
  {
    // https://huggingface.co/docs/hub/security-tokens
    what: 'a token of Hugging Face',
    mark: /hf_|api_org_/,
    pattern: /\b(?:hf|api_org)_[A-Za-z0-9]{30,60}/g,
  },
  {
    // https://grafana.com/docs/grafana/latest/administration/service-accounts/
    what: 'a token of Grafana',
    mark: /gls?[ac]_/,
    pattern: /\b(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,400})/g,
    isCertain: true,
  },
  {
    // https://tailscale.com/kb/1277/key-prefixes
    what: 'a key of Tailscale',
    mark: /tskey-/,
    pattern: /\btskey-[a-z]{2,20}-[A-Za-z0-9-]{16,255}/g,
    isCertain: true,
  },
  {
    // https://platform.openai.com/docs/api-reference/authentication, https://docs.anthropic.com/en/api/overview
    what: 'a key of an API for models',
    mark: /sk-(?:proj|svcacct|admin|ant)-/,
    pattern: /\bsk-(?:proj|svcacct|admin|ant)-[A-Za-z0-9_-]{20,255}/g,
  },
  {
    // https://shopify.dev/docs/apps/build/authentication-authorization
    what: 'a token of Shopify',
    mark: /shp[a-z]{2}_/,
    pattern: /\bshp(?:at|ca|pa|ss|ua)_[A-Fa-f0-9]{32,64}/g,
  },
  {
    // https://developer.atlassian.com/cloud/: tokens of accounts begin so
    what: 'a token of Atlassian',
    mark: /ATATT3|ATCTT3|ATBB/,
    pattern: /\b(?:AT[AC]TT3[A-Za-z0-9_=-]{30,400}|ATBB[A-Za-z0-9]{28,40})/g,
  },
  {
    // https://docs.databricks.com/aws/en/dev-tools/auth/pat
    what: 'a token of Databricks',
    mark: /dapi[0-9a-f]{8}/,
    pattern: /\bdapi[0-9a-f]{32}(?:-\d)?\b/g,
  },
  {
    // RFC 7515 3: a JSON Web Token, or JSON in base64 as logins of registries are
    what: 'a JSON Web Token',
    mark: /eyJ/,
    pattern: /\beyJ[A-Za-z0-9_-]{16,16384}(?:[+/=A-Za-z0-9_-]{0,16384})(?:\.[A-Za-z0-9_-]{1,16384}){0,4}/g,
  },
  {
    // https://github.com/C2SP/C2SP/blob/main/age.md, age-plugin.md
    what: 'a private key',
    mark: /AGE-(?:SECRET|PLUGIN)-/,
    pattern: /\bAGE-(?:SECRET-KEY-(?:PQ-)?1[A-Z0-9]{16,4000}|PLUGIN-[A-Z0-9-]{1,60}1[A-Z0-9]{16,1000})/g,
  },
  {
    // https://github.com/nats-io/nkeys: `S`, the letter of what it is for, a key and its checksum in base32
    what: 'a seed of NATS',
    mark: /\bS[ACNOUX][A-Z2-7]{20}/,
    pattern: /\bS[ACNOUX](?=[A-Z2-7]{0,54}[2-7])[A-Z2-7]{56}(?![A-Za-z0-9+/=_-])/g,
    isCertain: true,
  },
  {
    // https://docs.k3s.io/cli/token#token-format; RKE2 has the same
    what: 'a token of k3s or RKE2',
    mark: /K10[0-9a-f]{8}/,
    pattern: /\bK10[0-9a-f]{64}::(?:[\w-]{1,60}:[\w.-]{4,255}|[a-z0-9]{6}\.[a-z0-9]{16})/g,
    isCertain: true,
  },
  {
    // https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#token-format
    what: 'a bootstrap token',
    mark: /\.[a-z0-9]{16}(?![a-z0-9])/,
    pattern: /(?<![\w./@-])[a-z0-9]{6}\.(?=[0-9]{0,15}[a-z])(?=[a-z]{0,15}[0-9])[a-z0-9]{16}(?![\w.@-])/g,
  },
  {
    // crypt(5), and hashes as Argon2 and scrypt write them
    what: 'a hash of a password',
    mark: /\$(?:[1567y]|gy|2[abxy]|apr1|argon2|scrypt)/,
    pattern:
      /\$(?:(?:1|apr1)\$[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{22}|[56]\$(?:rounds=\d{1,9}\$)?[^\s$:"']{1,16}\$[A-Za-z0-9./]{20,86}|2[abxy]\$\d\d\$[A-Za-z0-9./]{53}|(?:7|y|gy|scrypt|argon2(?:id|i|d))\$[A-Za-z0-9./=,+$-]{20,400})/g,
  },
]

const certain = forms.filter(({ isCertain = false }) => isCertain)
const MAY_HOLD = anyMark(forms)
const MAY_HOLD_CERTAIN = anyMark(certain)

function anyMark(of: readonly KnownForm[]): RegExp {
  return new RegExp(of.map(({ mark }) => `(?:${mark.source})`).join('|'))
}

/** Tokens of examples have this in them. */
const EXAMPLE = /(.)\1{5}|example|x{4}|1234567890|abcdefgh/i

/** True if a text may hold a secret of a known form. */
export function mayHoldKnownSecret(text: string): boolean {
  return MAY_HOLD.test(text)
}

/** Finds the secrets of known forms in a text. */
export function collectKnownSecrets(text: string, add: (secret: string) => void): void {
  if (!MAY_HOLD.test(text)) return
  for (const { mark, pattern } of forms) if (mark.test(text)) for (const [secret] of text.matchAll(pattern)) add(secret)
}

/** The first secret of a form that nothing else has, and is no example; undefined for none. */
export function findCertainSecret(text: string): { readonly what: string; readonly secret: string } | undefined {
  if (!MAY_HOLD_CERTAIN.test(text)) return undefined
  for (const { what, mark, pattern } of certain) {
    if (!mark.test(text)) continue
    for (const [secret] of text.matchAll(pattern))
      if (/\d/.test(secret) && !EXAMPLE.test(secret)) return { what, secret }
  }
  return undefined
}
