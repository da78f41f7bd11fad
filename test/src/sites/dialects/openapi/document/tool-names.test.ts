import test from 'ava'
import { toolNames, type Named } from '../../../../../../src/sites/dialects/openapi/document/tool-names.ts'

const named = (id: unknown, method = 'GET', path = '/x'): Named => ({ id, method, path })
const nameOf = (...given: Parameters<typeof named>) => toolNames([named(...given)])[0]

test('the id of an operation, or else its method and path, becomes a name in snake case', (t) => {
  t.is(nameOf('listPets'), 'list_pets')
  t.is(nameOf('repos/list-for-org'), 'repos_list_for_org')
  t.is(nameOf('getHTTPStatus2'), 'get_http_status2')
  t.is(nameOf('  Café münü!'), 'cafe_munu')
  t.is(nameOf('2fa'), 'call_2fa')
  t.is(nameOf(undefined, 'DELETE', '/pets/{petId}/toys'), 'delete_pets_by_pet_id_toys')
  t.is(nameOf('宠物', 'GET', '/'), 'get')
  for (const id of ['a'.repeat(65), 'aB'.repeat(40), 'x'.repeat(100_000)])
    t.regex(nameOf(id) ?? '', /^[a-z][a-z_]{1,54}_[0-9a-f]{8}$/)
})

test('names are unique, and other operations change only a name that they take', (t) => {
  const one = named('getPet', 'GET', '/a')
  const other = named('get_pet', 'GET', '/b')
  const long = named('x'.repeat(70))
  const all = toolNames([other, long, one, named('third')])
  t.is(new Set(all).size, 4)
  t.deepEqual([all[1], all[3]], [nameOf('x'.repeat(70)), 'third'])
  t.deepEqual(toolNames([one, other]), [all[2], all[0]])
  t.is(toolNames([one])[0], 'get_pet')
})
