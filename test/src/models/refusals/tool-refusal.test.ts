import test from 'ava'
import { BrokenAnswer } from '../../../../src/models/failures.ts'
import { toolRefusal, type ToolRefusal } from '../../../../src/models/refusals/tool-refusal.ts'
import { refusalOf } from './refusal-of.ts'

const names = ['create', 'find', 'list_x', ...Array.from({ length: 148 }, (_, index) => `t${index}`)]

/** What providers and servers say of tools. */
const sentences: [message: string, refusal: ToolRefusal | undefined][] = [
  ['tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level', { tool: 1 }],
  ["Invalid schema for function 'find': schema must have type 'object'", { tool: 1 }],
  ["Invalid schema for function 'list_x': In context=('properties', 'create'), not allowed", { tool: 2 }],
  ['Unknown name "x" at \'tools[0].function_declarations[1].parameters\': Cannot find field.', { tool: 1 }],
  ['* GenerateContentRequest.tools[0].function_declarations[2].parameters.format: only enum', { tool: 2 }],
  ['The value at toolConfig.tools.1.toolSpec.inputSchema.json.type must be one of: object.', { tool: 1 }],
  ['body -> tools -> 1 -> function -> parameters: value is not a valid dict', { tool: 1 }],
  ['Tool find has invalid parameters', { tool: 1 }],
  ["Invalid 'tools': array too long. Expected an array with maximum length 128, but got 151.", { most: 128 }],
  ['Too many tools: 151. Maximum is 64', { most: 64 }],
  ["'tools' : maximum number of items is 128", { most: 128 }],
  ['could not find the thing', undefined],
  ['tools.200.name: too long', undefined],
  ['The tool refind is not known', undefined],
]

/** Where they say it in another way than by a sentence in a refusal of status 400. */
const answers: [status: number, body: unknown, refusal: ToolRefusal | undefined][] = [
  [422, { detail: [{ loc: ['body', 'tools', 1, 'function', 'parameters'], msg: 'bad' }] }, { tool: 1 }],
  [422, { detail: [{ loc: ['body', 'temperature'], msg: 'high', input: { text: 'tools.0 of "find"' } }] }, undefined],
  [400, { error: '{"error":{"message":"Invalid schema for function \\"find\\""}}' }, { tool: 1 }],
  [400, { error: { message: 'No.', param: 'tools[1].function.parameters' } }, { tool: 1 }],
  [400, { error: { message: 'temperature is too high' }, request: { note: 'tools.0' } }, undefined],
  [401, { error: { message: 'Invalid schema for function "find"' } }, undefined],
  [429, { error: { message: 'tools.1: too many requests' } }, undefined],
  [503, { error: { message: "overloaded while preparing the tool 'find'" } }, undefined],
  [200, { error: { code: 400, message: "Invalid schema for function 'find'" } }, { tool: 1 }],
  // An answer that is cut off is none that says anything of a tool.
  [200, '{"choices":[{"message":{"tool_calls":[{"function":{"name":"find","argum', undefined],
]

test('a refusal names the tool by its place or its name, or says how many are taken', (t) => {
  const said = sentences.map(([message, refusal]) => [400, { error: { message } }, refusal] as const)
  for (const [status, body, refusal] of [...said, ...answers])
    t.deepEqual(toolRefusal(refusalOf(status, body), names), refusal, JSON.stringify(body))
})

test('a stream that begins with such an error says the same, and without tools none is refused', (t) => {
  const error = new BrokenAnswer({ code: 400, message: "Invalid schema for function 'find'" })
  t.deepEqual(toolRefusal(error, names), { tool: 1 })
  t.is(toolRefusal(error, []), undefined)
  t.is(toolRefusal(new Error('tools.1'), names), undefined)
})

test('a tool that it cannot be is not taken for the one that is named', (t) => {
  const error = refusalOf(400, { error: { message: "The tool 'list_x' does not go with 'find'" } })
  t.deepEqual(toolRefusal(error, names), { tool: 2 })
  t.deepEqual(toolRefusal(error, ['create', 'find', undefined]), { tool: 1 })
})
