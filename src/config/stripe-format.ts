import * as v from 'valibot'

/** The formats of Stripe's settings. No message quotes the value. */

/** A secret key, or a restricted one. */
export const stripeKey = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^(sk|rk)_(test|live)_\w{6,250}$/, 'must be a Stripe secret key: sk_test_..., sk_live_..., rk_...'),
)

export const stripeWebhookSecret = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^whsec_\S{6,250}$/, 'must be the signing secret of a Stripe webhook endpoint: whsec_...'),
)

/** Stripe, or a mock on this machine. The key is sent nowhere else. */
export const stripeUrl = v.pipe(
  v.optional(v.string(), 'https://api.stripe.com'),
  v.check((address) => {
    const url = URL.parse(address)
    if (!url || url.origin !== address) return false
    return address === 'https://api.stripe.com' || /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname)
  }, 'must be https://api.stripe.com, or the origin of a mock on this machine, such as http://127.0.0.1:12111'),
)
