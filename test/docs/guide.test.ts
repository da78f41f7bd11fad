import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { createGuide } from '../../api/docs/guide.ts'
import { isPage, pathOf } from '../../api/docs/page-paths.ts'
import type { Page } from '../../api/docs/markdown.ts'
import type { ApiDocument } from '../../api/docs/reference/document.ts'
import { tagPage } from '../../api/docs/reference/reference-pages.ts'
import { openapi } from '../../api/openapi/openapi.ts'
import { routes } from '../../api/routes.ts'

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
const guide = createGuide()
const document = openapi(routes, 'http://test') as unknown as ApiDocument

/** All pages that exist, README.md included. */
async function readAll(): Promise<Page[]> {
  const files = ['README.md', ...guide.entries.map(({ file }) => file)]
  return (await Promise.all(files.map((file) => guide.read(file)))).filter((page) => page !== undefined)
}

test('the menu lists every page of the guide, and every page that it lists exists', (t) => {
  const files = readdirSync(docs, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  const listed = guide.entries.map(({ file }) => file)
  t.deepEqual(listed.toSorted(), files.filter(isPage).toSorted())
  t.deepEqual(listed, [...new Set(listed)])
})

test('every link of the guide leads to a page and to an anchor in it', async (t) => {
  const pages = new Map((await readAll()).map((page) => [pathOf(page.file) ?? '', page]))
  const broken = [...pages.values()].flatMap(({ file, links }) =>
    links.filter((link) => !leads(link, file)).map((link) => `${file}: ${link}`),
  )
  t.deepEqual(broken, [])

  function leads(link: string, file: string): boolean {
    const [path = '', anchor] = link.split('#')
    if (path.startsWith('/docs/api') || path === '/openapi.json') return leadsToOperation(path, anchor)
    const page = pages.get(path === '' ? (pathOf(file) ?? '') : path)
    return page !== undefined && (anchor === undefined || page.anchors.includes(anchor))
  }
})

function leadsToOperation(path: string, anchor: string | undefined): boolean {
  const [, tag] = /^\/docs\/api\/(.+)$/.exec(path) ?? []
  if (tag === undefined) return anchor === undefined
  const html = tagPage(document, decodeURIComponent(tag))
  return html !== undefined && (anchor === undefined || html.includes(`id="${anchor}"`))
}

test('the table of contents has the titles of the pages', async (t) => {
  const contents = await readFile(join(docs, 'README.md'), 'utf8')
  const listed = [...contents.matchAll(/^- \[(.+?)\]\((\S+\.md)\)/gm)].map(([, title, file = '']) => [file, title])
  const titles = listed.map(async ([file = '']) => [
    file,
    /^# (.+)$/m.exec(await readFile(join(docs, file), 'utf8'))?.[1],
  ])
  t.true(listed.length > 60)
  t.deepEqual(listed, await Promise.all(titles))
})

test('every page has one title, which comes first', async (t) => {
  for (const { file, headings } of await readAll()) {
    t.is(headings[0]?.level, 1, file)
    t.is(headings.filter(({ level }) => level === 1).length, 1, file)
  }
})
