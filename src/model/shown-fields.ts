/** Fields that stand below, or have, the name of a secret and are none. */
interface ShownFields {
  /** Kinds that have them; absent: any. */
  readonly kinds?: RegExp
  /** The field around that one; absent: any. */
  readonly above?: RegExp
  /** The field that they stand in, also as an item of it. */
  readonly field: RegExp
  readonly shown: RegExp
}

const REFERENCE = /^(?:name|namespace|key|optional|kind)$/
const MONITORING =
  /^(?:ServiceMonitor|PodMonitor|Probe|ScrapeConfig|Prometheus|PrometheusAgent|Alertmanager(?:Config)?)$/
const STORE = /^(?:Cluster)?(?:Issuer|SecretStore)$/
const EXTERNAL = /^(?:(?:Cluster)?(?:ExternalSecret|PushSecret))$/

/** The fields, as the definitions of their kinds have them. */
const rows: readonly ShownFields[] = [
  // Kubernetes: ServiceAccountTokenProjection, TokenRequest of CSIDriver, LocalObjectReference
  { field: /^serviceAccountToken$/, shown: /^(?:audience|expirationSeconds|path)$/ },
  { field: /^tokenRequests$/, shown: /^(?:audience|expirationSeconds)$/ },
  { field: /^imagePullSecrets$/, shown: /^name$/ },
  { kinds: /^ServiceAccount$/, field: /^secrets$/, shown: /^(?:name|namespace|kind|apiVersion|fieldPath)$/ },
  // SecretVolumeSource, SecretProjection
  { above: /^volumes$/, field: /^secret$/, shown: /^(?:secretName|defaultMode|optional|items)$/ },
  { above: /^sources$/, field: /^secret$/, shown: /^(?:name|optional|items)$/ },
  // cert-manager: CertificatePrivateKey, CertificateSecretTemplate
  { field: /^privateKey$/, shown: /^(?:algorithm|size|encoding|rotationPolicy)$/ },
  { field: /^secretTemplate$/, shown: /^(?:labels|annotations)$/ },
  // cert-manager and External Secrets: the ways to log in to Vault
  { kinds: STORE, above: /^auth$/, field: /^kubernetes$/, shown: /^(?:role|mountPath|serviceAccountRef)$/ },
  { kinds: STORE, above: /^auth$/, field: /^appRole$/, shown: /^(?:path|roleId)$/ },
  { kinds: STORE, above: /^auth$/, field: /^clientCertificate$/, shown: /^(?:mountPath|name|secretName)$/ },
  { kinds: STORE, above: /^auth$/, field: /^jwt$/, shown: /^(?:path|role)$/ },
  // kubeadm and the bootstrap provider: BootstrapToken, BootstrapTokenDiscovery, SecretFileSource, SecretPasswdSource
  { field: /^bootstrapTokens$/, shown: /^(?:ttl|expires|usages|groups|description)$/ },
  { field: /^bootstrapToken$/, shown: /^(?:apiServerEndpoint|caCertHashes|unsafeSkipCAVerification)$/ },
  { above: /^(?:contentFrom|passwdFrom)$/, field: /^secret$/, shown: /^(?:name|key)$/ },
  // infrastructure providers: AWS, Azure, Hetzner
  { kinds: /^AWS/, field: /^cloudInit$/, shown: /^(?:secretPrefix|secretCount|secureSecretsBackend)$/ },
  { kinds: /^AWS/, field: /^instanceMetadataOptions$/, shown: /^httpTokens$/ },
  { kinds: /^AzureClusterIdentity$/, field: /^clientSecret$/, shown: /^(?:name|namespace)$/ },
  { kinds: /^(?:HCloud|Hetzner)/, field: /^(?:sshKeys|hcloud)$/, shown: /^(?:hcloud|name|fingerprint)$/ },
  // Prometheus Operator: SecretKeySelector, SafeAuthorization
  { kinds: MONITORING, field: /^authorization$/, shown: /^type$/ },
  {
    kinds: MONITORING,
    field: /^(?:bearerTokenSecret|keySecret|secret|username|password|credentials|clientSecret)$/,
    shown: REFERENCE,
  },
  // External Secrets: which entry of the provider, and under which key
  { kinds: EXTERNAL, field: /^data$/, shown: /^secretKey$/ },
  { kinds: EXTERNAL, field: /^(?:remoteRef|extract)$/, shown: /^key$/ },
  // ingress-nginx and Reloader: annotations that name Secrets
  {
    field: /^annotations$/,
    shown:
      /^(?:nginx\.ingress\.kubernetes\.io\/(?:auth|auth-tls|proxy-ssl)-secret|secret\.reloader\.stakater\.com\/reload)$/,
  },
]

/** Where a field stands. */
export interface FieldPlace {
  /** Absent where only a part of an object is known. */
  readonly kind?: string
  /** The field that holds the one that it stands in. */
  readonly above?: string
  /** The field that it stands in. */
  readonly field: string
}

/** True if what the API of a kind has under this name is no secret, nor what stands below it. */
export function isShownField({ kind, above, field }: FieldPlace, name: string): boolean {
  return rows.some(
    (row) =>
      row.field.test(field) &&
      row.shown.test(name) &&
      (row.kinds === undefined || (kind !== undefined && row.kinds.test(kind))) &&
      (row.above === undefined || (above !== undefined && row.above.test(above))),
  )
}
