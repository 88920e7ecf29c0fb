import { admission, row, type RefusedObject, webhook } from './make-objects.ts'

const text = JSON.stringify
const asked = (expression: string, more = ''): string =>
  admission(`validations: [{expression: ${text(expression)}}]${more === '' ? '' : `, ${more}`}`)
/** An expression that a policy may ask, and one that none may. */
const expressions = (name: string, fault: string, near: string): RefusedObject => row(name, asked(fault), asked(near))
const message = (expression: string): string =>
  admission(`validations: [{expression: "true", messageExpression: ${text(expression)}}]`)
const variables = (declared: string, expression: string, more = ''): string =>
  asked(expression, `variables: [${declared}]${more}`)
const annotation = (key: string, value = text("'a'")): string =>
  admission(`auditAnnotations: [{key: ${text(key)}, valueExpression: ${value}}]`)
const condition = (expression: string): string =>
  webhook(`matchConditions: [{name: a, expression: ${text(expression)}}]`)
const params = 'paramKind: {apiVersion: v1, kind: ConfigMap}'

/** Expressions in CEL of policies and webhooks, and what stands beside them. */
export const refusedExpressions: readonly RefusedObject[] = [
  // what an expression gives
  expressions('an expression that gives text', '"a"', '"a" == object.a'),
  expressions('an expression of which nobody knows what it gives', 'object.a', 'object.a == true'),
  expressions('a value that may be anything', 'dyn(true)', 'bool(dyn(true))'),
  // names, fields and functions
  expressions('a name that nothing has', 'objct.a == 1', 'object.a == 1'),
  expressions('a name of a loop outside of it', 'object.a.all(x, x) && x', 'object.a.all(x, x)'),
  expressions('a field that requests do not have', 'request.userinfo == null', 'request.userInfo.username == "a"'),
  expressions(
    'a field that namespaces do not have',
    'namespaceObject.metadata.label == {}',
    'namespaceObject.metadata.labels == {}',
  ),
  expressions('a function that nobody knows', 'object.a.startWith("a")', 'object.a.startsWith("a")'),
  expressions('a function of another library', 'math.abs(1) == 1', 'int(1.0) == 1'),
  expressions('a binding', 'cel.bind(x, 1, x == 1)', '[1].all(x, x == 1)'),
  expressions('has of a name', 'has(object)', 'has(object.a)'),
  // types
  expressions('an argument of another type', 'object.a.startsWith(1)', 'object.a.startsWith(object.b)'),
  expressions('a sum of a number and a text', '1 + "a" == object.a', '1 + object.a == 1'),
  expressions('equality of a number and a text', '1 == "a"', 'dyn(1) == "a"'),
  expressions('a text that may be null', 'request.name == null', 'object.a == null'),
  expressions('integers of two types', '1 == 1u', '1 < 1u'),
  expressions('a number in a list of texts', '1 in ["a"]', '"a" in ["a"]'),
  expressions('choices of two types', 'object.a ? 1 == 1 : "a"', 'object.a ? 1 == 1 : 2 == 1'),
  expressions('a list of two types', '[1, "a"] == object.a', '[dyn(1), dyn("a")] == object.a'),
  expressions('a map of two types', '{"a": 1, "b": "c"} == object.a', '{"a": "b", "c": "d"} == object.a'),
  expressions('a list by a text', '[1]["a"] == 1', '{"a": 1}["a"] == 1'),
  expressions('a field of a text', '"a".b == 1', '{"a": 1}.a == 1'),
  expressions('not of a number', '!1', '!object.a'),
  expressions('and of a number', 'object.a && 1', 'object.a && object.b'),
  expressions('a list of lists in order', '[[1]].isSorted()', '[1].isSorted()'),
  expressions('a sum of texts', '["a"].sum() == 1', '[1].sum() == 1'),
  expressions('a set of another type', 'sets.contains([1], ["a"])', 'sets.contains(object.a, ["a"])'),
  expressions('another value than the optional one', 'optional.of(1).orValue("a") == 1', 'object.?a.orValue("a") == 1'),
  expressions('a loop over two names', 'object.a.all(i, v, 1)', 'object.a.all(i, v, v == i)'),
  expressions('a loop over a number', '(1).all(x, true)', '[1].all(x, true)'),
  expressions('an entry that is no optional one', '{?"a": 1} == {}', '{?"a": object.?a} == {}'),
  // texts that are read before
  expressions('a regular expression with an open bracket', 'object.a.matches("[")', 'object.a.matches("[a]")'),
  expressions(
    'a timestamp that is none',
    'timestamp("a") == object.a',
    'timestamp("2030-01-01T00:00:00Z") == object.a',
  ),
  expressions('a duration that is none', 'duration("1x") == object.a', 'duration("1h") == object.a'),
  // policies
  row('a policy without kind of parameters', asked('params.a == 1'), asked('params.a == 1', params)),
  row(
    'a policy without variables',
    asked('variables.a == 1'),
    variables('{name: a, expression: "1"}', 'variables.a == 1'),
  ),
  row(
    'a variable that is not declared',
    variables('{name: a, expression: "1"}', 'variables.b == 1'),
    variables('{name: a, expression: "1"}', 'variables.a == 1'),
  ),
  row(
    'a variable that is declared later',
    variables('{name: b, expression: "variables.a"}, {name: a, expression: "1"}', 'variables.b == 1'),
    variables('{name: a, expression: "1"}, {name: b, expression: "variables.a"}', 'variables.b == 1'),
  ),
  row(
    'a variable of another type',
    variables('{name: a, expression: "1"}', 'variables.a == "b"'),
    variables('{name: a, expression: "object.b"}', 'variables.a == "b"'),
  ),
  row(
    'a variable with a dash',
    variables('{name: a-b, expression: "1"}', 'true'),
    variables('{name: _a1, expression: "1"}', 'true'),
  ),
  row(
    'a variable that is a word of the language',
    variables('{name: package, expression: "1"}', 'true'),
    variables('{name: object, expression: "1"}', 'true'),
  ),
  row(
    'a condition with variables',
    variables('{name: a, expression: "1"}', 'true', ', matchConditions: [{name: a, expression: "variables.a == 1"}]'),
    asked('true', `matchConditions: [{name: a, expression: "params.a == 1"}], ${params}`),
  ),
  row('a message that is a number', message('1'), message('string(1)')),
  row('a message that may be anything', message('object.a'), message('"a " + object.a')),
  row('a message of spaces', message(' '), message('')),
  row(
    'a message that asks who may do what',
    message('authorizer.group("a").resource("b").check("c").reason()'),
    asked('authorizer.group("a").resource("b").check("c").reason() == ""'),
  ),
  row('an annotation with a domain', annotation('a/b'), annotation('a.b')),
  row('an annotation with a long name', annotation('a'.repeat(64)), annotation('a'.repeat(63))),
  row('an annotation that is a number', annotation('a', text('1')), annotation('a', text('null'))),
  row(
    'an annotation twice',
    admission(`auditAnnotations: [{key: a, valueExpression: "''"}, {key: a, valueExpression: "''"}]`),
    admission(`auditAnnotations: [{key: a, valueExpression: "''"}, {key: A, valueExpression: "''"}]`),
  ),
  row(
    'a kind of parameters in three parts',
    asked('true', 'paramKind: {apiVersion: a/b/c, kind: Config}'),
    asked('true', 'paramKind: {apiVersion: a.example/v1, kind: Config}'),
  ),
  row(
    'a kind of parameters with an underscore',
    asked('true', 'paramKind: {apiVersion: v1, kind: Config_Map}'),
    asked('true', 'paramKind: {apiVersion: v1, kind: CONFIG-Map}'),
  ),
  row(
    'a name of a resource with a slash',
    admission('validations: [{expression: "true"}]').replace('[pods]', '[pods], resourceNames: [a/b]'),
    admission('validations: [{expression: "true"}]').replace('[pods]', '[pods], resourceNames: ["a:b"]'),
  ),
  row(
    'a name of a resource twice',
    admission('validations: [{expression: "true"}]').replace('[pods]', '[pods], resourceNames: [a, a]'),
    admission('validations: [{expression: "true"}]').replace('[pods]', '[pods], resourceNames: [a, A]'),
  ),
  // webhooks
  row('a condition of a webhook that is no CEL', condition('object.a =='), condition('object.a == 1')),
  row('a condition of a webhook that gives text', condition('request.name'), condition('request.name == ""')),
  row('a condition of a webhook with parameters', condition('params.a == 1'), condition('oldObject.a == 1')),
]
