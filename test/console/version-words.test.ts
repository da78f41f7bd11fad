import test from 'ava'
import { actorInWords, changesInWords } from '../../console/screens/agents/version-words.ts'

const by = { userId: null, email: null, via: 'platform', viaId: null } as const

for (const [version, words] of [
  [{ version: 1, by, restoredFrom: null, changed: ['name', 'systemPrompt'] }, 'Created'],
  [{ version: 2, by, restoredFrom: null, changed: ['systemPrompt'] }, 'Changed the prompt'],
  [{ version: 3, by, restoredFrom: null, changed: ['name', 'sites'] }, 'Changed the name and sites and tools'],
  [{ version: 4, by, restoredFrom: 2, changed: ['name'] }, 'Restored version 2'],
] as const)
  test(`version ${version.version} reads "${words}"`, (t) =>
    t.is(changesInWords({ ...version, changed: [...version.changed] }), words))

for (const [actor, words] of [
  [{ userId: 'u', email: 'ada@example.com' }, 'ada@example.com'],
  [{ userId: 'u', email: null }, 'somebody who has left'],
  [{ userId: null, email: null }, 'Switchyard'],
] as const)
  test(`a version by ${JSON.stringify(actor)} was made by ${words}`, (t) => t.is(actorInWords(actor), words))
