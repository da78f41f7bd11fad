import { Pool } from 'undici'
import { serve } from './route.ts'
import { required } from './settings.ts'

const ingress = new Pool(required('INGRESS'), { connections: 128 })

serve(async ({ agent, key, bytes }) => {
  const { statusCode, body } = await ingress.request({
    method: 'POST',
    path: `/agent/${agent}/deliver/send`,
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: bytes,
  })
  const answer = (await body.json()) as { invocationId: string }
  if (statusCode !== 202) throw new Error(`Restate answered ${statusCode} ${JSON.stringify(answer)}`)
  return answer.invocationId
})
