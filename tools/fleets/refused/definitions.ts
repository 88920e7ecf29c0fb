import { definition, field, type RefusedObject, row, schema, versions } from './make-objects.ts'

const v1 = 'name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}'
const v2 = (storage: string): string =>
  `name: v2, served: true, storage: ${storage}, schema: {openAPIV3Schema: {type: object}}`
const items = 'items: {type: object, required: [id], properties: {id: {type: string}, m: {type: object}}}'
const webhook = (fields: string, versionsOf = 'conversionReviewVersions: [v1], '): string =>
  definition(`conversion: {strategy: Webhook, webhook: {${versionsOf}clientConfig: {${fields}}}}`)
const column = (text: string): string => schema('type: object', `additionalPrinterColumns: [{name: a, ${text}}]`)

const selects = (path: string): string =>
  schema(
    'type: object, properties: {a: {type: object, properties: {b: {type: string}, c: {type: array, items: {type: string}}}}}',
    `selectableFields: [{jsonPath: "${path}"}]`,
  )
const FIELDS =
  'b: {type: string, maxLength: 3}, n: {type: integer}, f: {type: number}, is: {type: boolean}, t: {type: string, format: date-time}, i: {x-kubernetes-int-or-string: true}, o: {type: object, properties: {x: {type: string}}}, free: {type: object, x-kubernetes-preserve-unknown-fields: true}, list: {type: array, items: {type: string}}, a-b: {type: string}, namespace: {type: string}'.replace(
    ' n:',
    ' "n":',
  )
const withRule = (rule: string, more = ''): string =>
  field(`type: object, properties: {${FIELDS}}, x-kubernetes-validations: [{rule: ${JSON.stringify(rule)}${more}}]`)
const ruled = (name: string, fault: string, near: string): RefusedObject => row(name, withRule(fault), withRule(near))
const ofItems = (more: string, rule: string): string =>
  field(
    `type: array, maxItems: 3${more}, items: {type: string, maxLength: 3, x-kubernetes-validations: [{rule: "${rule}"}]}`,
  )

/** Definitions of custom resources. */
export const refusedDefinitions: readonly RefusedObject[] = [
  row('a definition that stores two versions', versions(v1, v2('true')), versions(v1, v2('false'))),
  row('a definition that stores nothing', versions(v2('false')), versions(v2('true'))),
  row('a version twice', versions(v1, v1.replace('storage: true', 'storage: false')), versions(v1, v2('false'))),
  row('a version that begins with a digit', versions(v1.replace('v1', '1v')), versions(v1)),
  row('a version without a schema', versions('name: v1, served: true, storage: true'), versions(v1)),
  row(
    'a group without a dot',
    definition('group: example', '', 'as.example'),
    definition('group: b.example', '', 'as.b.example'),
  ),
  row('a scope that is none', definition('scope: Global'), definition('scope: Cluster')),
  row(
    'a group of Kubernetes that nobody allowed',
    definition('group: a.k8s.io', '', 'as.a.k8s.io'),
    definition('group: a.k8s.io', '', 'as.a.k8s.io, annotations: {api-approved.kubernetes.io: "unapproved, a test"}'),
  ),
  row('a short name in capitals', definition('', ', shortNames: [AB]'), definition('', ', shortNames: [ab]')),
  row('a list with the kind of its items', definition('', ', listKind: A'), definition('', ', listKind: AList')),
  row('a definition of another name', definition('', '', 'bs.a.example'), definition('')),
  row('all fields kept', definition('preserveUnknownFields: true'), definition('preserveUnknownFields: false')),
  row(
    'a warning of a version that is not deprecated',
    versions(`${v1}, deprecationWarning: a`),
    versions(`${v1}, deprecated: true, deprecationWarning: a`),
  ),
  row(
    'a conversion without its webhook',
    definition('conversion: {strategy: Webhook}'),
    webhook('service: {name: a, namespace: a}'),
  ),
  row(
    'a webhook of no conversion',
    definition('conversion: {strategy: None, webhook: {conversionReviewVersions: [v1]}}'),
    definition('conversion: {strategy: None}'),
  ),
  row(
    'a conversion at two places',
    webhook('url: "https://a.example", service: {name: a, namespace: a}'),
    webhook('url: "https://a.example"'),
  ),
  row(
    'a conversion in words of the future',
    webhook('url: "https://a.example"', 'conversionReviewVersions: [v3], '),
    webhook('url: "https://a.example"', 'conversionReviewVersions: [v3, v1], '),
  ),
  row(
    'a column of a map',
    column('type: object, jsonPath: .spec'),
    column('type: date, jsonPath: .metadata.creationTimestamp'),
  ),
  row(
    'a column of a path that is none',
    column('type: string, jsonPath: spec.a'),
    column('type: string, jsonPath: .spec.a'),
  ),
  row(
    'replicas in the status',
    schema('type: object', 'subresources: {scale: {specReplicasPath: .status.a, statusReplicasPath: .status.a}}'),
    schema('type: object', 'subresources: {scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}'),
  ),
  // schemas
  row('a schema of a list', schema('type: array, items: {type: string}'), schema('type: object')),
  row(
    'a schema without a type',
    schema('properties: {a: {type: string}}'),
    schema('x-kubernetes-preserve-unknown-fields: true, type: object'),
  ),
  row('a field without a type', field('description: a'), field('x-kubernetes-preserve-unknown-fields: true')),
  row('a type that is none', field('type: text'), field('type: string')),
  row('a list of nothing', field('type: array'), field('type: array, items: {type: string}')),
  row(
    'a list of two schemas',
    field('type: array, items: [{type: string}]'),
    field('type: array, items: {type: integer}'),
  ),
  row(
    'fields with names, and without',
    field('type: object, properties: {b: {type: string}}, additionalProperties: {type: string}'),
    field('type: object, additionalProperties: {type: string}'),
  ),
  row(
    'other fields of the whole',
    schema('type: object, additionalProperties: {type: string}'),
    field('type: object, additionalProperties: true'),
  ),
  row('a whole that may be null', schema('type: object, nullable: true'), field('type: object, nullable: true')),
  row(
    'metadata with labels',
    schema('type: object, properties: {metadata: {type: object, properties: {labels: {type: object}}}}'),
    schema('type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 5}}}}'),
  ),
  row(
    'a kind that is a number',
    schema('type: object, properties: {kind: {type: integer}}'),
    schema('type: object, properties: {kind: {type: string}}'),
  ),
  row(
    'a default of the kind',
    schema('type: object, properties: {kind: {type: string, default: A}}'),
    schema('type: object, properties: {kinds: {type: string, default: A}}'),
  ),
  row('a default of another type', field('type: integer, default: "1"'), field('type: number, default: 1')),
  row(
    'a default that is no word of it',
    field('type: string, enum: [a, b], default: c'),
    field('type: string, enum: [a, b], default: b'),
  ),
  row('a reference', field('type: string, $ref: "#/a"'), field('type: string, example: a')),
  row(
    'items that are all different',
    field('type: array, uniqueItems: true, items: {type: string}'),
    field('type: array, x-kubernetes-list-type: set, items: {type: string}'),
  ),
  row(
    'an expression that Go does not have',
    field('type: string, pattern: "(?=a)"'),
    field('type: string, pattern: "^(?:a|b)$"'),
  ),
  row(
    'a set of maps',
    field('type: array, x-kubernetes-list-type: set, items: {type: object}'),
    field('type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}'),
  ),
  row(
    'a list type that is none',
    field('type: array, x-kubernetes-list-type: bag, items: {type: string}'),
    field('type: array, x-kubernetes-list-type: atomic, items: {type: string}'),
  ),
  row(
    'a list type of a map',
    field('type: object, x-kubernetes-list-type: atomic'),
    field('type: object, x-kubernetes-map-type: atomic'),
  ),
  row(
    'a map of items without keys',
    field(`type: array, x-kubernetes-list-type: map, ${items}`),
    field(`type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], ${items}`),
  ),
  row(
    'a key that items do not have',
    field(`type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id, other], ${items}`),
    field(`type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], ${items}`),
  ),
  row(
    'a key that may be missing',
    field(
      `type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], ${items.replace('required: [id], ', '')}`,
    ),
    field(
      `type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], ${items.replace('required: [id], ', '').replace('id: {type: string}', 'id: {type: string, default: a}')}`,
    ),
  ),
  row(
    'a key that is a map',
    field(`type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [m], ${items.replace('[id]', '[m]')}`),
    field(`type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], ${items}`),
  ),
  row(
    'keys of a list that is no map',
    field(`type: array, x-kubernetes-list-map-keys: [id], ${items}`),
    field(`type: array, ${items}`),
  ),
  row(
    'a type below anyOf',
    field('type: string, anyOf: [{type: string, maxLength: 1}]'),
    field('type: string, anyOf: [{maxLength: 1}]'),
  ),
  row(
    'an integer or text with words',
    field('x-kubernetes-int-or-string: true, anyOf: [{type: string}, {type: integer}]'),
    field('x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]'),
  ),
  row(
    'a field below oneOf alone',
    schema('type: object, oneOf: [{properties: {b: {maxLength: 1}}}]'),
    schema('type: object, properties: {b: {type: string}}, oneOf: [{properties: {b: {maxLength: 1}}}]'),
  ),
  row('a description below not', field('type: string, not: {description: a}'), field('type: string, not: {enum: [a]}')),
  row(
    'a condition at the root of a version with a status',
    schema('type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}]', 'subresources: {status: {}}'),
    schema('type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}]'),
  ),
  row(
    'a rule of nothing',
    field('type: string, x-kubernetes-validations: [{rule: " "}]'),
    field('type: string, x-kubernetes-validations: [{rule: "self == self"}]'),
  ),
  row(
    'a rule of two lines without a message',
    field('type: string, x-kubernetes-validations: [{rule: "self ==\\n self"}]'),
    field('type: string, x-kubernetes-validations: [{rule: "self ==\\n self", message: a}]'),
  ),
  row(
    'no embedded object',
    field('type: string, x-kubernetes-embedded-resource: true'),
    field('type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true'),
  ),
  // defaults
  row(
    'a default without a required field',
    field('type: object, required: [b], properties: {b: {type: string}}, default: {}'),
    field('type: object, required: [b], properties: {b: {type: string}}, default: {b: c}'),
  ),
  row(
    'a default that is too long',
    field('type: string, maxLength: 2, default: abc'),
    field('type: string, maxLength: 2, default: ab'),
  ),
  row(
    'a default of another pattern',
    field('type: string, pattern: ^a$, default: b'),
    field('type: string, pattern: ^a$, default: a'),
  ),
  row(
    'a default with an unknown field',
    field('type: object, properties: {b: {type: string}}, default: {c: d}'),
    field('type: object, x-kubernetes-preserve-unknown-fields: true, default: {c: d}'),
  ),
  row(
    'a default that breaks a rule',
    field('type: string, x-kubernetes-validations: [{rule: "self == \'a\'"}], default: b'),
    field('type: string, x-kubernetes-validations: [{rule: "self == \'a\'"}], default: a'),
  ),
  row(
    'a default with a wrong item',
    field('type: array, items: {type: string}, default: [1]'),
    field('type: array, items: {type: string}, default: [a, a]'),
  ),
  // selectable fields
  row('a selectable field that is none', selects('.a.z'), selects('.a.b')),
  row('a selectable map', selects('.a'), selects('.a.b')),
  row('a selectable field of the metadata', selects('.metadata.name'), selects('.a.b')),
  row('a selectable item of a list', selects('.a.c[0]'), selects('.a.b')),
  // rules
  ruled('a rule about a field that is not there', 'self.z == 1', 'self.n == 1'),
  ruled('a rule about a field of a map without fields', 'self.free.z == 1', 'has(self.free)'),
  ruled('a rule that compares a text with a number', 'self.b == 1', 'self.b == "1"'),
  ruled('a rule that compares a text with null', 'self.b == null', 'self.o == null'),
  ruled('a rule that compares a number with an integer', 'self.f == 1', 'self.f == 1.0'),
  ruled('a rule that compares a time with a text', 'self.t == "a"', 'self.t == timestamp("2030-01-01T00:00:00Z")'),
  ruled('a rule that gives text', 'self.b', 'self.is'),
  ruled('a rule with a misspelt function', 'self.b.startWith("a")', 'self.b.startsWith("a")'),
  ruled('a rule about integers or texts', 'self.i + 1 == "a"', 'self.i == "a" || self.i == 1'),
  ruled('a rule about a name with a dash', 'self.a-b == "a"', 'self.a__dash__b == "a" && self.namespace == "b"'),
  row(
    'a message of a rule that is a number',
    withRule('true', ', messageExpression: "1"'),
    withRule('true', ', messageExpression: "string(1)"'),
  ),
  row(
    'a field of a rule that is not there',
    withRule('true', ', fieldPath: .z'),
    withRule('true', ', fieldPath: .o.x'),
  ),
  row(
    'an item as the field of a rule',
    withRule('true', ', fieldPath: ".list[0]"'),
    withRule('true', ', fieldPath: .list'),
  ),
  row('an old value of an item of a list', ofItems('', 'self == oldSelf'), ofItems('', 'self == self')),
  row(
    'an old value of an item of a set',
    ofItems(', x-kubernetes-list-type: set', 'self == oldSelf'),
    field(
      'type: array, maxItems: 3, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], items: {type: object, required: [id], properties: {id: {type: string, maxLength: 3, x-kubernetes-validations: [{rule: "self == oldSelf"}]}}}',
    ),
  ),
  row(
    'an old value that is optional and not read',
    withRule('self.b == "a"', ', optionalOldSelf: true'),
    withRule('!oldSelf.hasValue() || self.b == "a"', ', optionalOldSelf: true'),
  ),
]
