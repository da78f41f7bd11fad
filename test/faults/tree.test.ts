import test from 'ava'
import { always, calling, instead, reworded, swapped, unchained, unwrapped, without, type Edit } from './edits.ts'
import { edited } from './tree.ts'

const made = (edit: Edit, body: string): string => {
  const [before, after] = ['export async function work(given: Given): Promise<void> {\n', '\n}\n']
  return edited(before + body + after, { name: 'work', edit }).slice(before.length, -after.length)
}

const edits: [string, Edit, string, string][] = [
  ['leaves out a statement', without(calling('check')), 'await check(a)\nreturn b', '\nreturn b'],
  ['leaves out an operand', without('[name="b"]'), 'if (a && (b || c)) d()', 'if (a && ((c))) d()'],
  ['leaves out the first argument', without('[name="a"]'), 'f(a, b)', 'f(b)'],
  ['leaves out the last argument', without('[name="b"]'), 'f(a, b)', 'f(a)'],
  ['leaves out the only member', without('Property'), 'f({ a: 1 } as Given)', 'f({  } as Given)'],
  [
    'leaves out a link of a chain',
    unchained('lock'),
    'await query.where(a).lock().first()',
    'await query.where(a).first()',
  ],
  ['puts an expression in the place of another', instead('0', '[name="a"]'), 'f(a)', 'f(0)'],
  ['has a condition hold', always(true, 'IfStatement > [name="a"]'), 'if (a) b()', 'if (true) b()'],
  ['puts an argument in the place of a call', unwrapped(calling('hide'), 'first'), 'f(hide(a, b))', 'f((a))'],
  ['swaps statements', swapped('ExpressionStatement:has([name="a"])'), 'a()\n// reason\nb()', 'b()\n// reason\na()'],
  ['replaces words of a text', reworded(' for update', ''), 'f(`select ${a} for update`)', 'f(`select ${a}`)'],
]

for (const [title, edit, before, after] of edits) {
  test(`an edit ${title}`, (t) => t.is(made(edit, before), after))
}

test('an edit that cannot be made, or makes no TypeScript, is refused', (t) => {
  t.throws(() => made(without('[name="c"]'), 'f(a)'), { message: 'the selector finds nothing' })
  t.throws(() => made(instead('b', '[name="a"]'), 'f(a, a)'), { message: 'the selector finds 2 nodes' })
  t.throws(() => made(instead('a', '[name="a"]'), 'f(a)'), { message: 'the edit changes nothing' })
  t.throws(() => made(instead('(', '[name="a"]'), 'f(a)'), { message: /cannot be parsed/ })
  t.throws(() => made(swapped('ExpressionStatement'), 'f(a)'), { message: 'nothing follows it' })
})

test('a node is looked for in the method, then in what is exported, then in the file', (t) => {
  const edit = instead('0', 'Literal')
  const name = 'createWork'
  const around = (text: string) => `${text}\nexport const other = 3\n`
  const both = around('export function createWork() {\n  return { end: () => 1, begin: () => 2 }\n}')
  t.is(edited(both, { name, method: 'begin', edit }), both.replace('2', '0'))
  t.throws(() => edited(both, { name, edit }), { message: 'the selector finds 2 nodes' })
  const one = around('export const createWork = () => ({ begin: () => 2 })')
  t.is(edited(one, { name, edit }), one.replace('2', '0'))
  const moved = around('export const createWork = () => ({ begin })')
  t.is(edited(moved, { name, method: 'begin', edit }), moved.replace('3', '0'))
})
