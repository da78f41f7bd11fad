import test from 'ava'
import * as fc from 'fast-check'
import { answersTo, nameTools, providerSafe, type SiteTool } from '../../../src/models/tool-names.ts'

const named = (...tools: SiteTool[]) => nameTools(tools).map(({ name }) => name)
const crm = (tool: string): SiteTool => ({ site: 'crm', siteName: 'Acme CRM', tool })
const shop = (tool: string): SiteTool => ({ site: 'shop', siteName: 'Web Shop', tool })

test('a tool keeps its own name, with dots replaced', (t) => {
  t.deepEqual(named(crm('crm.searchContacts'), shop('list_orders')), ['crm_searchContacts', 'list_orders'])
})

test('tools of two sites with one name get the names of their sites', (t) => {
  t.deepEqual(named(crm('search'), shop('search'), shop('list')), ['acme_crm_search', 'web_shop_search', 'list'])
})

test('two names of one site that differ only in what providers refuse stay two names', (t) => {
  const [dotted, plain] = named(crm('a.b'), crm('a_b'))
  t.not(dotted, plain)
})

test('a site that calls itself and its tool as another one does gets a name of its own', (t) => {
  const impostor = { site: 'evil', siteName: 'Acme CRM', tool: 'search' }
  const names = named(crm('search'), impostor)
  t.is(new Set(names).size, 2)
  for (const name of names) t.regex(name, /^acme_crm_search_[0-9a-f]{16}$/)
})

test('a tool that is named like the longer name of another does not take it away', (t) => {
  const names = named(crm('search'), shop('search'), { site: 'evil', siteName: 'Evil', tool: 'acme_crm_search' })
  t.is(new Set(names).size, 3)
  t.true(names.includes('evil_acme_crm_search'))
})

test('a tool that is listed twice is named once', (t) => {
  t.deepEqual(nameTools([crm('search'), crm('search')]), [{ name: 'search', site: 'crm', tool: 'search' }])
})

test('site names without a letter of ASCII do not get in the way', (t) => {
  const names = named({ site: 'a', siteName: '販売', tool: 'list' }, { site: 'b', siteName: '', tool: 'list' })
  t.is(new Set(names).size, 2)
})

const anyTool = fc.record({
  site: fc.constantFrom('one', 'two', 'three'),
  siteName: fc.oneof(fc.constantFrom('A', 'a b', 'ü', 'a_b'), fc.string({ maxLength: 80 })),
  tool: fc.oneof(fc.constantFrom('x', 'a_x', 'a_b_x', 'a.x', 'ü_x', '__proto__'), fc.string({ maxLength: 80 })),
})

test('all names are safe for providers, unique, and the same in whatever order the tools are listed', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(anyTool, { selector: ({ site, tool }) => `${site} ${tool}` }), (tools) => {
      const names = nameTools(tools)
      t.true(names.every(({ name }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)))
      t.is(new Set(names.map(({ name }) => name)).size, tools.length)
      t.deepEqual(
        names.map(({ site, tool }) => [site, tool]),
        tools.map(({ site, tool }) => [site, tool]),
      )
      t.deepEqual(nameTools(tools.toReversed()), names.toReversed())
    }),
  )
})

test('a name that is too long is cut, and stays apart from others that begin like it', (t) => {
  const long = 'x'.repeat(100)
  t.is(providerSafe(long).length, 64)
  t.not(providerSafe(long), providerSafe(`${long}y`))
  t.is(providerSafe(''), '_')
})

test('a tool answers to its name, to the name its site gave it, and not to a part of it', (t) => {
  t.true(answersTo('crm_searchContacts', 'crm.searchContacts'))
  t.true(answersTo('acme_crm_search_contacts', 'search_contacts'))
  t.true(answersTo('acme_crm_search_contacts_0123456789abcdef', 'search_contacts'))
  t.false(answersTo('search_contacts', 'contacts'))
  t.false(answersTo('search_contacts', 'search'))
})
