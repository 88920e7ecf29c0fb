/**
 * The functions whose result for a parameter (a known value that other renders have otherwise) follows from the
 * result for its token, whatever plain word it is: they put it somewhere, encode it, or refuse its token themselves.
 * All others refuse it, those that are safe for values only known later included: there a value of one form is enough.
 */
export const parameterFunctions: ReadonlySet<string> = new Set(
  `and or not eq ne len index slice print printf println
  default empty coalesce all any ternary compact mustCompact
  typeOf typeIs typeIsLike kindOf kindIs deepEqual toString toStrings
  list tuple append push prepend first last rest initial reverse uniq without has chunk concat join sortAlpha
  mustAppend mustPush mustPrepend mustFirst mustLast mustRest mustInitial mustReverse mustUniq mustWithout mustHas
  mustSlice mustChunk
  dict get set unset hasKey pluck keys values pick omit dig
  merge mustMerge mergeOverwrite mustMergeOverwrite deepCopy mustDeepCopy
  quote squote cat indent nindent repeat plural trim trimAll trimall trimPrefix trimSuffix contains hasPrefix hasSuffix
  replace trunc nospace lower upper split splitn splitList
  b64enc b64dec b32enc b32dec sha1sum sha256sum sha512sum
  toYaml mustToYaml toYamlPretty fromYaml fromYamlArray
  toJson mustToJson toPrettyJson mustToPrettyJson toRawJson mustToRawJson fromJson fromJsonArray mustFromJson`
    .trim()
    .split(/\s+/),
)
