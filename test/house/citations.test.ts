import test from 'ava'
import { brokenCitations, type Library } from './citations.ts'

/** A made-up repository. */
const pages: Record<string, string> = {
  'docs/design.md': '# Design\n\n## Webhooks, exactly\n\n```\n## In a fence\n```\n\n### `runs` and [more](a.md)\n',
  'docs/decisions/0001-a-first-one.md': '# A first one\n',
  'src/run.ts': '',
}
const library: Library = {
  has: (path) => path in pages || Object.keys(pages).some((page) => page.startsWith(`${path}/`)),
  read: (path) => pages[path] ?? '',
  decision: (number) => Object.keys(pages).find((path) => path.startsWith(`docs/decisions/${number}-`)),
}

const problemsIn = (path: string, text: string) =>
  brokenCitations([{ path, text, isPage: path.endsWith('.md') }], library).map(({ problem }) => problem)

for (const [what, path, text, says] of [
  ['a page that is not there', 'docs/a.md', 'See docs/plan.md.', /docs\/plan\.md, which is not/],
  ['a page that is not there, in a comment', 'src/run.ts', '(plan.md, "X")', /plan\.md, which is/],
  ['a source file that is not there', 'docs/a.md', 'See `src/b.ts`.', /src\/b\.ts, which is not/],
  ['a link to a page that is not there', 'docs/a.md', '[plan](plan.md)', /plan\.md, which is not/],
  ['an anchor of another page', 'docs/a.md', '[it](design.md#runs)', /#runs, and there is no such/],
  ['a second heading of a name', 'docs/a.md', 'design.md#webhooks-exactly-1', /-exactly-1, and there is no such/],
  ['an anchor of what only looks like a heading', 'docs/a.md', 'design.md#in-a-fence', /#in-a-fence/],
  ['a decision that is not there', 'src/run.ts', 'docs/decisions/0002', /0002, which is not there/],
  [
    'the second of two sections',
    'src/run.ts',
    'docs/design.md, "Webhooks, exactly" and "Runs"',
    /^cites "Runs" of docs/,
  ],
  ['a section behind a link', 'docs/a.md', '[it](design.md),\n"Runs"', /"Runs" of design\.md/],
  ['a section without its file', 'src/run.ts', '(specification, "Manifest")', /specification, "Manifest" without its/],
  ['such a section, title first', 'docs/a.md', '"Bearer tokens" in the specification', /"Bearer tokens" in the spec/],
] as const) {
  test(`a broken citation is found: ${what}`, (t) => {
    const problems = problemsIn(path, text)
    t.is(problems.length, 1)
    t.regex(problems[0] ?? '', says)
  })
}

test('citations that lead somewhere are not reported', (t) => {
  const page = [
    '[design](design.md#webhooks-exactly), [code](../src/run.ts), [one](decisions/0001-a-first-one.md), [all](decisions/)',
    '[below](design.md#runs-and-more), https://example.com/plan.md, [web](https://example.com/plan.md#x), docs/**/*.md',
    '```\nSee plan.md and [it](plan.md).\n```',
  ].join('\n')
  t.deepEqual(problemsIn('docs/a.md', page), [])
  const comment =
    'Checks (docs/design.md, "Webhooks, exactly", 5), then docs/decisions/0001. The decisions are "final".'
  t.deepEqual(problemsIn('src/run.ts', comment), [])
})
