import test from 'ava'
import { asSearch, entryFor, factsOf } from '../../console/screens/sites/connect/catalogue-words.ts'

const entry = {
  id: 'tracker',
  name: 'Tracker',
  dialect: 'manifest' as const,
  address: 'https://tracker.example.com',
  authType: 'bearer' as const,
  tokenHelp: 'Open Settings.',
  notes: '',
  tags: ['issues'],
  vaultEntryId: null,
}

test('a suggested site says its kind, how one signs in, and its tags', (t) => {
  t.is(factsOf(entry), 'manifest · with a token · issues')
  t.is(factsOf({ ...entry, authType: 'oauth2', tags: [] }), 'manifest · you sign in there')
})

test('the entry of an inspected site is found by either of its addresses', (t) => {
  const other = { ...entry, id: 'other', address: 'https://other.example.com/mcp' }
  const find = (url: string, origin: string) => entryFor([other, entry], { url, origin })?.id
  t.is(find('https://tracker.example.com/', 'https://tracker.example.com'), 'tracker')
  t.is(find('https://tracker.example.com/board', 'https://tracker.example.com'), 'tracker')
  t.is(find('https://other.example.com/mcp', 'https://other.example.com/mcp'), 'other')
  t.is(find('https://other.example.com/mcp', 'https://other.example.com/mcp#https://b.example'), 'other')
  t.is(find('https://other.example.com', 'https://other.example.com'), undefined)
  t.is(entryFor(undefined, { url: '', origin: '' }), undefined)
})

test('an address is searched for by its beginning', (t) => {
  t.is(asSearch('x'.repeat(201)).length, 200)
  t.is(asSearch('https://a.example/api.json#https://b.example'), 'https://a.example/api.json')
})
