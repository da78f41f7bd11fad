import type { Fault } from './fault.ts'

/** Answers that have to fit a schema. */
export const outputs: Fault[] = [
  {
    id: 'outputs/not-checked',
    file: 'src/outputs/in-thread.ts',
    find: 'return problems.length > 0 ? { problems } : { output: exactJson(text) }',
    replace: 'return { output: exactJson(text) }',
    why: 'a receiver that relies on the schema gets a value of another form',
    tests: ['test/src/outputs/in-thread.test.ts'],
  },
  {
    id: 'outputs/rounded',
    file: 'src/outputs/exact-json.ts',
    find: "typeof value === 'number' && source !== undefined ? rawJSON(source) : value",
    replace: 'value',
    why: 'the id of an issue beyond 2^53 becomes the id of another one',
    tests: ['test/src/outputs/in-thread.test.ts'],
  },
  {
    id: 'outputs/schema-of-a-change-not-checked',
    file: 'src/agents/agents.ts',
    find: '      const entries = choices ? await sites.named(ownerId, choices) : []\n      if (fields.outputSchema) await outputs.assertSchema(fields.outputSchema, ownerId)\n',
    replace: '      const entries = choices ? await sites.named(ownerId, choices) : []\n',
    why: 'an agent that is changed gets a schema that no answer can be checked against, and all its runs fail',
    tests: ['test/models/structured-output.test.ts'],
  },
  {
    id: 'outputs/correction-not-fenced',
    file: 'src/models/prompt.ts',
    find: "detail && `${problemsSentence}\\n${fence('untrusted problems', detail)}`",
    replace: 'detail',
    why: 'the name of a member, which a payload may have suggested, stands in the prompt as an instruction',
    tests: ['test/models/structured-output.test.ts'],
  },
  {
    id: 'outputs/of-the-failed',
    file: 'src/callbacks/ending.ts',
    find: "status === 'completed' && last?.output",
    replace: 'last?.output',
    why: 'a receiver of callbacks takes the output of a run that failed for its result',
    tests: ['test/models/structured-output.test.ts'],
  },
  {
    id: 'outputs/json-tool',
    file: 'src/models/structured-output.ts',
    find: '!hasTools || /(?:^|[/.])gemini-(?:[3-9]|\\d\\d)/i.test(id)',
    replace: "hasTools || id !== ''",
    why: 'Gemini 2 is forced to call a tool in every step, and its words are lost',
    tests: ['test/src/models/structured-output.test.ts'],
  },
]
