import test from 'ava'
import { BrokenAnswer } from '../../../../src/models/failures.ts'
import { toolRefusal, type ToolRefusal } from '../../../../src/models/refusals/tool-refusal.ts'
import { refusalOf } from './refusal-of.ts'

const names = ['create', 'find', 'list_x', ...Array.from({ length: 148 }, (_, index) => `t${index}`)]

/** What providers and servers say of tools. */
const said: [number, unknown, ToolRefusal | undefined][] = [
  [
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
      },
    },
    { tool: 1 },
  ],
  [
    400,
    {
      error: {
        message: "Invalid schema for function 'find': schema must have type 'object'",
        param: 'tools[1].function.parameters',
      },
    },
    { tool: 1 },
  ],
  [400, { error: { message: "Invalid schema for function 'find': In context=(), ..." } }, { tool: 1 }],
  [
    400,
    {
      error: {
        code: 400,
        message:
          'Invalid JSON payload received. Unknown name "x" at \'tools[0].function_declarations[1].parameters\': Cannot find field.',
      },
    },
    { tool: 1 },
  ],
  [
    400,
    {
      error: {
        code: 400,
        message:
          '* GenerateContentRequest.tools[0].function_declarations[2].parameters.properties[a].format: only enum',
      },
    },
    { tool: 2 },
  ],
  [
    422,
    { detail: [{ type: 'value_error', loc: ['body', 'tools', 1, 'function', 'parameters'], msg: 'bad' }] },
    { tool: 1 },
  ],
  [
    400,
    { message: 'The value at toolConfig.tools.1.toolSpec.inputSchema.json.type must be one of the following: object.' },
    { tool: 1 },
  ],
  [400, { error: { message: 'body -> tools -> 1 -> function -> parameters: value is not a valid dict' } }, { tool: 1 }],
  [400, { object: 'error', message: 'Tool find has invalid parameters' }, { tool: 1 }],
  [400, { error: '{"error":{"message":"Invalid schema for function \\"find\\""}}' }, { tool: 1 }],
  [
    400,
    {
      error: {
        message:
          "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 151 instead.",
        param: 'tools',
        code: 'array_above_max_length',
      },
    },
    { most: 128 },
  ],
  [400, { error: { message: 'Too many tools: 151. Maximum is 64' } }, { most: 64 }],
  [400, { error: { message: 'could not find the thing' } }, undefined],
  [400, { error: { message: "'tools' : maximum number of items is 128" } }, { most: 128 }],
  [401, { error: { message: 'Invalid schema for function "find"' } }, undefined],
  [503, { error: { message: "overloaded while preparing the tool 'find'" } }, undefined],
  [
    400,
    { error: { message: "Invalid schema for function 'list_x': In context=('properties', 'create'), not allowed" } },
    { tool: 2 },
  ],
  [
    422,
    { detail: [{ loc: ['body', 'temperature'], msg: 'too high', input: { text: 'tools.0 of "find"' } }] },
    undefined,
  ],
  [400, { error: { message: 'temperature is too high' }, request: { note: 'tools.0' } }, undefined],
  // An answer that is cut off is none that says anything of a tool.
  [200, '{"choices":[{"message":{"tool_calls":[{"function":{"name":"find","argum', undefined],
  [200, { error: { code: 400, message: "Invalid schema for function 'find'" } }, { tool: 1 }],
  [429, { error: { message: 'tools.1: too many requests' } }, undefined],
  [400, { error: { message: 'tools.200.name: too long' } }, undefined],
  [400, { error: { message: 'The tool refind is not known' } }, undefined],
]

test('a refusal names the tool by its place or its name, or says how many are taken', (t) => {
  for (const [status, body, refusal] of said) {
    t.deepEqual(toolRefusal(refusalOf(status, body), names), refusal, JSON.stringify(body))
  }
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
