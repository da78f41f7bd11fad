import test from 'ava'
import { customer, deliver, webhookAgent } from '../../helpers/people.ts'
import { press, type } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'deliveries in the console')

const webhookSchema = [{ name: 'title', type: 'string' as const, required: true }]

test.serial(
  'a refused delivery is explained, a failed proof is counted, and a test delivery starts a run',
  async (t) => {
    const { platform, visitAs } = await open()
    const someone = await customer(platform)
    const agent = await webhookAgent(someone, { name: 'Sorter', webhookProof: 'secret', webhookSchema })
    const page = await visitAs(t, someone, `/console/w/me/agents/${agent.id}/refused`)
    await page.getByRole('heading', { name: 'No delivery was refused' }).waitFor()
    await look(t, page, 'refused-empty')

    const payload = { title: 42, note: 'private-words' }
    t.is((await deliver(platform, agent, payload, { 'user-agent': 'sender/1' })).status, 422)
    const stranger = { ...agent, webhookSecret: 'a-guess-of-a-stranger' }
    t.is((await deliver(platform, stranger, {})).status, 401)
    await platform.services.refusals.flush()
    await page.reload()
    await page.getByRole('heading', { name: 'Refused deliveries' }).waitFor()
    await press(page, page.locator('summary', { hasText: 'Headers' }))
    await page.getByText('sender/1').waitFor()
    const words = await page.innerText('main')
    t.regex(words, /\/title\s+This field must be of type string, not number\./)
    t.regex(words, /1 request without a valid proof/)
    t.false(words.includes('private-words') || words.includes(stranger.webhookSecret))
    await look(t, page, 'refused')

    await press(page, page.getByRole('link', { name: 'Send a test delivery' }))
    await type(page, page.getByLabel('Payload'), '{"title":1}')
    await press(page, page.getByRole('button', { name: 'Send test delivery' }))
    await page.getByText('This field must be of type string, not number.').first().waitFor()
    await look(t, page, 'test-delivery-refused')
    await type(page, page.getByLabel('Payload'), '{"title":"It hangs"}')
    await press(page, page.getByRole('button', { name: 'Send test delivery' }))
    await press(page, page.getByRole('link', { name: 'Open run' }))
    await press(page, page.getByRole('link', { name: 'Its delivery' }))
    await page.getByRole('heading', { name: 'Body' }).waitFor()
    const delivery = await page.innerText('main')
    t.regex(delivery, /The secret in X-Webhook-Secret/)
    t.regex(delivery, /Matched the schema of 1 field/)
    t.true(delivery.includes('{"title":"It hangs"}'))
    await look(t, page, 'delivery')
  },
)
