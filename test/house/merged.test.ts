import test from 'ava'
import { changesOf, hashOf } from './merged.ts'

const path = 'migrations/20990101000100-moods.ts'
const recorded = { [path]: hashOf('create table moods;\n') }

test('a merged migration that is as it was is not reported, whatever ends its lines', (t) => {
  t.deepEqual(changesOf({ [path]: 'create table moods;\n' }, recorded), [])
  t.deepEqual(changesOf({ [path]: 'create table moods;\r\n' }, recorded), [])
})

test('a merged migration that is edited or gone, and a migration that is not recorded, are reported', (t) => {
  const [edited] = changesOf({ [path]: 'create table mood;\n' }, recorded)
  t.regex(edited?.problem ?? '', /is edited; .*write a new migration/)
  t.regex(changesOf({}, recorded)[0]?.problem ?? '', /is gone; .*bring it back/)
  t.regex(changesOf({ [path]: '' }, {})[0]?.problem ?? '', /add it with npm run house -- --record-migrations/)
})
