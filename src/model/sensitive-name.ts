const SENSITIVE =
  /pass(?:word|wd|phrase|code)?$|passw|pwd|(?:^|[a-z0-9_.-])Pw$|(?:^|[_.-])pw$|secret|token|credential|api[-_.]?key|psk$|[-_.]pat$|(?:private|access|encryption|signing|ssh|tls|client|ca|account|license|shared|master|root|user|auth|certificate|routing|integration|service|app|storage|hmac|session|cookie|webhook)[-_.]?key(?:s|data)?$|(?:private|access|encryption|signing|ssh|tls|client|ca)[-_.]?key|^key$|\.key$|dockerconfigjson|dockercfg|kubeconfig|^auth$|authorization$|auth(?:orization)?[-_]?header$|session[-_]?cookie$|cert(?:ificate)?-?data|connection-?_?string|^dsn$|[-_]dsn$|htpasswd/i
/** Names of what tells where a secret is, or of what kind. */
const REFERENCE =
  /(?:name|names|ref|refs|reference|path|paths|file|dir|namespace|url|uri|host|enabled|type|class|algorithm|length|ttl|seconds|count|policy|mode|store|mount|mounts|annotations|labels|create|keys?name|selector|expiration|audience|issuer|method|version|provider|rotation|interval|lifetime|expiry|max-?age|duration|timeout|period|format)s?$|(?:^|\.)existing|from[-_]?secrets?$/i
/** A label or annotation of somebody: what tells is behind the domain. */
const QUALIFIED = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}\/(?=.)/
/** Annotations that name a Secret: `inject-ca-from-secret`, `auth-tls-secret`; and hashes of secrets. */
const NAMES_ONE = /(?:^|-)(?:from|tls|ssl|ca|cert)-secrets?$/
const CHECKSUM = /^checksum\//
/** Names of what is switched on or off, or counted: `useTokenReview`, `create-secret`, `maxTokens`. */
const SWITCH = /^(?:use|create|enable|generate|is|has|max|min)(?:[A-Z]|[-_.])/
/** Files that hold keys and logins, and words of variables of the environment. */
const HOLDER = /(?:^|[/_.-])(?:id_(?:rsa|dsa|ecdsa|ed25519)|netrc|npmrc|pypirc|pgpass|jwt|bearer)$|(?:^|_)PASS(?:_|$)/
/** Names that refer to a secret, with all that stands below them: `secretKeyRef`, `tokenRef`, `existingSecret`. */
const REFERS = /(?:ref|refs|reference|references|selector|name|names)$|^existing/i

/** Names of files as configurations have them: `key: app.cnf` of a volume says which entry of a ConfigMap is meant. */
const FILE_NAME =
  /^[a-z][a-z_-]{0,40}(?:\.[a-z][a-z_-]{0,40})?\.(?:cfg|cnf|conf|config|crt|env|hcl|ini|js|json|key|lua|pem|properties|py|sh|sql|toml|tpl|txt|xml|ya?ml)$/
/** The name of a label, or of a taint. */
const LABEL = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,}\/[A-Za-z][A-Za-z._-]{0,62}$/

/** Words in capitals, without digits that a secret in the wrong place may have. */
const PLAIN_VARIABLE = /^[A-Z]{2,20}(?:_[A-Z]{2,20}){1,6}$/
const VARIABLE = /^[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,10}$/

/**
 * True if a value of `credentialsFrom` is the name of a variable. One that does not look like a name may be the secret
 * itself, put in the wrong place.
 */
export function namesVariable(value: string): boolean {
  return PLAIN_VARIABLE.test(value) || (VARIABLE.test(value) && isNameOfSecret(value))
}

/** True if what stands under `key` names an entry of a ConfigMap or Secret, a label or a taint, and is no secret. */
export function namesEntry(name: string, value: string): boolean {
  return name === 'key' && (FILE_NAME.test(value) || LABEL.test(value))
}

/** True if values under a key of this name are taken for secrets where text is shown. */
export function isSensitiveName(name: string): boolean {
  return SENSITIVE.test(name) || HOLDER.test(name)
}

/**
 * True if the name is that of a secret itself, and not of what refers to one (`secretName`, `existingSecret`,
 * `tokenPath`).
 */
export function isNameOfSecret(name: string): boolean {
  const own = name.replace(QUALIFIED, '')
  if (CHECKSUM.test(name) || (own !== name && NAMES_ONE.test(own))) return false
  return isSensitiveName(own) && !REFERENCE.test(own) && !SWITCH.test(own)
}

/** True if the `value` beside this `name` is a secret: of a variable, or of a header of HTTP. */
export function namesSecretBeside(name: string): boolean {
  return isNameOfSecret(name) || /^(?:set-)?cookie$/i.test(name)
}

/** True if the name is that of what tells which secret is meant: nothing below it is one. */
export function refersToSecret(name: string): boolean {
  const own = name.replace(QUALIFIED, '')
  return (SENSITIVE.test(own) && REFERS.test(own)) || (own !== name && NAMES_ONE.test(own))
}

/**
 * True if a text has `path: /…`, as an operation of a JSON patch does, that leads to or through the name of a secret.
 */
export function pointsToSecret(text: string): boolean {
  for (const [, pointer = ''] of text.matchAll(/\bpath["']?\s{0,100}:\s{0,100}["']?(\/[^\s,"'}]{1,1000})/g))
    if (pointer.split('/').some(isNameOfSecret)) return true
  return false
}
