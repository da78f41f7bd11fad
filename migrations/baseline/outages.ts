/** Times when nobody could use a configured model. */
export const outages = `
  create table model_outages (
    id uuid not null,
    began_at timestamptz not null,
    -- null: ongoing
    ended_at timestamptz,
    last_failed_at timestamptz not null,
    -- when to probe the model next
    next_probe_at timestamptz not null,
    model text not null,
    provider text,
    -- the problem in our words, and the provider's words, which only operators see
    message text not null,
    provider_said text,
    constraint model_outages_pkey primary key (id)
  );
  create unique index model_outages_one_open on model_outages (model) where ended_at is null;
  create index model_outages_ended on model_outages (ended_at) where ended_at is not null;
`
