import test from 'ava'
import { renderPage } from '../../api/docs/markdown.ts'
import { readMenu } from '../../api/docs/menu.ts'

const page = (text: string, file = 'how-to/made-up.md') => renderPage(file, text)

test('links between files lead to the pages of the site, and links to what only the repository has are none', (t) => {
  const { html, links } = page(
    '# A\n\n[b](b.md) [c](../start/c.md#part) [all](../README.md) [api](../openapi.json) [x](../../src/x.ts) [`src/`](../../src) [web](https://example.com/y.md) [down](#a)',
  )
  t.deepEqual(links, ['/docs/how-to/b', '/docs/start/c#part', '/docs', '/docs/api', '#a'])
  t.true(html.includes(' x (<code>src/x.ts</code> in the repository) <code>src</code> (in the repository) '))
  t.regex(html, /<a href="https:\/\/example\.com\/y\.md">web<\/a>/)
})

test('headings have the anchors of a code host, also twice the same', (t) => {
  const { anchors, headings } = page('# A page\n\n## `POST` it, twice & more\n\n## Same\n\n## Same')
  t.deepEqual(anchors, ['a-page', 'post-it-twice--more', 'same', 'same-1'])
  t.deepEqual(headings[1], { level: 2, text: 'POST it, twice & more', anchor: 'post-it-twice--more' })
})

test('HTML and scripts in a page are shown as text', (t) => {
  const { html } = page(
    '# A\n\n<script>alert(1)</script> <b onclick="x">b</b>\n\n```html\n<img src=x onerror=y>\n```\n\n[x](javascript:alert(1))',
  )
  t.notRegex(html, /<script|<b |<img|href="javascript/)
})

test('rows about codes and settings have anchors in the reference, and are found by themselves', (t) => {
  const table =
    '# Errors\n\nAll of them.\n\n## Codes\n\nThese.\n\n| Code | Meaning |\n|---|---|\n| `NO_CREDITS` | Nothing is left. |\n| `other` | No. |\n'
  const { html, sections } = page(table, 'reference/errors.md')
  t.regex(html, /<tr id="no_credits">/)
  t.deepEqual(
    sections.map(({ kind, title, anchor, text }) => [kind, title, anchor, text]),
    [
      ['page', 'Errors', '', 'All of them.'],
      ['row', 'NO_CREDITS', 'no_credits', 'Nothing is left.'],
      ['section', 'Codes', 'codes', 'These. Code Meaning other No.'],
    ],
  )
  t.notRegex(page(table).html, /tr id/)
})

test('the menu has the lists of the table of contents, without what only the repository has', (t) => {
  const menu = readMenu(
    '# Guide\n\nText with [a link](start/a.md).\n\n## Start\n\n- [One](start/one.md): text.\n- [Two](start/two.md)\n\n## More\n\n- [API](openapi.json): all.\n\n## Contribute\n\n- [Tests](contribute/tests.md)\n',
  )
  t.deepEqual(menu, [
    {
      title: 'Start',
      entries: [
        { title: 'One', href: '/docs/start/one', file: 'start/one.md', about: 'text.' },
        { title: 'Two', href: '/docs/start/two', file: 'start/two.md', about: '' },
      ],
    },
    { title: 'More', entries: [{ title: 'API', href: '/docs/api', file: 'openapi.json', about: 'all.' }] },
  ])
})
