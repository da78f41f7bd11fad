import test from 'ava'
import { toolWarnings } from '../../../../src/models/offer/tool-warnings.ts'

const long = 'x'.repeat(301)
const rows: [
  what: string,
  tool: { description?: string; inputSchema?: Record<string, unknown> },
  warned: RegExp | undefined,
][] = [
  ['a long description', { description: 'x'.repeat(1000) }, /description is too long/],
  ['one that is longer once it is written', { description: '"'.repeat(500) }, /description is too long/],
  ['one that fits', { description: 'x'.repeat(800) }, undefined],
  ['a long text inside', { inputSchema: { properties: { a: { items: { description: long } } } } }, /in its schema/],
  ['a property that is called like a text', { inputSchema: { properties: { title: { const: long } } } }, undefined],
  ['a pattern', { inputSchema: { properties: { a: { pattern: 'a' } } } }, /receive this pattern as text/],
  ['a format, which is said in words', { inputSchema: { properties: { a: { format: 'email' } } } }, undefined],
]

test('what models lose of a tool is warned of, and nothing else is', (t) => {
  for (const [what, tool, warned] of rows) {
    const given = { name: 'find', description: 'Finds.', inputSchema: { type: 'object' }, ...tool }
    const warnings = toolWarnings('A site', [given])
    t.is(warnings.length, warned ? 1 : 0, what)
    if (warned) t.regex(warnings[0]?.message ?? '', warned, what)
  }
})
