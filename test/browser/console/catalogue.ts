import test from 'ava'
import { customer } from '../../helpers/people.ts'
import { press, type } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'the catalogue in the console')

test.serial('a suggested site is found, inspected and connected by keyboard, and then says that it is', async (t) => {
  const { platform, sites, visitAs } = await open()
  const someone = await customer(platform)
  const page = await visitAs(t, someone, '/console/w/me/sites/connect')
  await page.getByRole('heading', { name: 'Suggested sites' }).waitFor()
  const suggested = page.getByRole('region', { name: 'Suggested sites' }).getByRole('listitem')
  t.is(await suggested.count(), 2)
  await look(t, page, 'catalogue')
  const search = page.getByLabel('Search suggested sites')
  await type(page, search, 'no-such-site')
  await page.getByText('No suggested site has all of these words.').waitFor()
  await search.fill('ISSUES example')
  await page.getByText('Example issue tracker').waitFor()
  t.is(await suggested.count(), 1)
  await press(page, page.getByRole('link', { name: 'Inspect Example issue tracker' }))
  await page.getByRole('heading', { name: 'Connect it' }).waitFor()
  t.is(await page.getByLabel('Address of the site').inputValue(), sites.tracker.origin)
  await page.getByText('keeps its issues in memory').waitFor()
  await page.getByText(`Open ${sites.tracker.origin}/settings in a browser`).waitFor()
  await look(t, page, 'catalogue-inspected')
  await type(page, page.getByLabel('Token'), sites.tracker.createToken('ada'))
  await page.keyboard.press('Enter')
  await page.getByText('Agents can now do this there').waitFor()
  await press(page, page.getByRole('link', { name: 'Connect another site' }))
  await page.getByRole('link', { name: 'Open Example issue tracker' }).waitFor()
  t.is(await page.getByRole('link', { name: /^Inspect / }).count(), 1)
  await press(page, page.getByRole('link', { name: 'Open Example issue tracker' }))
  await page.getByRole('heading', { name: 'Agents that use it' }).waitFor()
})
