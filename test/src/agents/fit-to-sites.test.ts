import test from 'ava'
import { fitToSites } from '../../../src/agents/fit-to-sites.ts'

const known = new Map([['here', ['read', 'write']]])
const site = (vaultEntryId: string, tools: string[] | null, askFirst: string[] = []) => ({
  vaultEntryId,
  tools,
  askFirst,
})

test('earlier choices fit the sites and tools that are there now', (t) => {
  const table = [
    [site('here', null), { vaultEntryId: 'here', askFirst: [] }, 0],
    [site('here', ['read']), { vaultEntryId: 'here', tools: ['read'], askFirst: [] }, 0],
    [site('here', ['read', 'gone']), { vaultEntryId: 'here', tools: ['read'], askFirst: [] }, 1],
    [site('here', ['gone'], ['gone']), { vaultEntryId: 'here', tools: [], askFirst: [] }, 1],
    [site('here', null, ['write', 'gone']), { vaultEntryId: 'here', askFirst: ['write'] }, 1],
    [site('elsewhere', null), undefined, 1],
  ] as const
  for (const [earlier, choice, sentences] of table) {
    const { choices, leftOut } = fitToSites([earlier], known)
    t.deepEqual(choices, choice === undefined ? [] : ([choice] as never))
    t.is(leftOut.length, sentences)
  }
})

test('what is left out is named in a sentence', (t) => {
  t.deepEqual(fitToSites([site('elsewhere', null), site('here', ['gone'])], known).leftOut, [
    'The site of the vault entry elsewhere is no longer connected.',
    'The site of the vault entry here no longer has the tool "gone".',
  ])
})
