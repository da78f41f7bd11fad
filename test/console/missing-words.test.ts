import test from 'ava'
import { missingInWords } from '../../console/parts/missing-words.ts'

const id = '0199b2c4-7a10-7cc3-8f7e-1f2d3c4b5a69'

const table: [path: string, place: string | undefined, title: string, list: string | undefined][] = [
  [`/w/${id}/runs/${id}`, 'Acme', 'Acme has no run with this id', 'runs'],
  [`/w/${id}/runs/${id}/beside/${id}`, 'Acme', 'Acme has no run with this id', 'runs'],
  [`/w/me/agents/${id}/queue`, 'ada@example.com', 'ada@example.com has no agent with this id', 'agents'],
  [`/w/me/sites/${id}`, 'ada@example.com', 'ada@example.com has no site with this id', 'sites'],
  ['/w/me/runs/12', 'ada@example.com', 'ada@example.com has no page at this address', 'runs'],
  ['/w/me/nonsense', 'ada@example.com', 'ada@example.com has no page at this address', undefined],
  [`/w/${id}`, undefined, 'You are in no such workspace', undefined],
  [`/w/${id}/runs/${id}`, undefined, 'You are in no such workspace', undefined],
  [`/runs/${id}`, undefined, 'You have no run with this id', undefined],
  [`/approvals/${id}`, undefined, 'You have no approval with this id', undefined],
  ['/nonsense', undefined, 'The console has no page at this address', undefined],
]

for (const [path, place, title, list] of table)
  test(`${path} in ${place ?? 'no place'}: ${title}`, (t) => {
    const missing = missingInWords(path, place)
    t.is(missing.title, title)
    t.is(missing.list, list as typeof missing.list)
  })
