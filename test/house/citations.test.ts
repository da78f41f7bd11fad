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

const broken: Record<string, { path: string; text: string; says: RegExp }> = {
  'a page that is not there': { path: 'docs/a.md', text: 'See docs/plan.md.', says: /docs\/plan\.md, which is not/ },
  'a page that is not there, in a comment': { path: 'src/run.ts', text: '(plan.md, "X")', says: /plan\.md, which is/ },
  'a page outside the repository': { path: 'docs/a.md', text: 'See ../../plan.md.', says: /\.\.\/plan\.md, which is/ },
  'a source file that is not there': { path: 'docs/a.md', text: 'See `src/b.ts`.', says: /src\/b\.ts, which is not/ },
  'a link to a page that is not there': { path: 'docs/a.md', text: '[plan](plan.md)', says: /plan\.md, which is not/ },
  'a link to a file that is not there': { path: 'docs/a.md', text: '[code](../src/b.ts)', says: /b\.ts, which is not/ },
  'an anchor of another page': { path: 'docs/a.md', text: '[it](design.md#runs)', says: /#runs, and there is no such/ },
  'an anchor of the same page': { path: 'docs/design.md', text: '[it](#runs)', says: /#runs, and there is no such/ },
  'an anchor of what only looks like a heading': {
    path: 'docs/a.md',
    text: 'design.md#in-a-fence',
    says: /#in-a-fence/,
  },
  'a decision that is not there': { path: 'src/run.ts', text: 'docs/decisions/0002', says: /0002, which is not there/ },
  'a section that is not there': {
    path: 'src/run.ts',
    text: '(docs/design.md, "Webhooks")',
    says: /"Webhooks" of docs/,
  },
  'the second of two sections': {
    path: 'src/run.ts',
    text: 'docs/design.md, "Webhooks, exactly" and "Runs"',
    says: /^cites "Runs" of docs\/design\.md/,
  },
  'a section behind a link': { path: 'docs/a.md', text: '[it](design.md),\n"Runs"', says: /"Runs" of design\.md/ },
  'a section of the specification without its file': {
    path: 'src/run.ts',
    text: '(specification, "Manifest")',
    says: /specification, "Manifest" without its file/,
  },
  'a section of the decisions without its file': {
    path: 'src/run.ts',
    text: 'the order that the decisions fix ("Webhooks, exactly")',
    says: /decisions fix \("Webhooks, exactly" without/,
  },
  'a section without its file, title first': {
    path: 'docs/a.md',
    text: '"Bearer tokens" in the specification',
    says: /"Bearer tokens" in the specification without/,
  },
}

for (const [what, { path, text, says }] of Object.entries(broken)) {
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
