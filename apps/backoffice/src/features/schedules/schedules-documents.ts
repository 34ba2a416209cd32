import type { ScheduleRowFragment } from "../../generated/graphql.ts";
import { graphql } from "../../generated/index.ts";

export const scheduleRowFragment = graphql(`
  fragment ScheduleRow on Schedule {
    id
    name
    cron
    timeZone
    overlapPolicy
    sessionPolicy
    agent
    scope
    input
    enabled
    nextAt
    lastAt
    lastError
    lastTask { id status session { id } }
  }
`);

export type ScheduleRow = ScheduleRowFragment;

export const schedulesDocument = graphql(`
  query Schedules {
    schedules(first: 100) {
      nodes { ...ScheduleRow }
      totalCount
    }
  }
`);

export const cronTimesDocument = graphql(`
  query CronTimes($cron: String!, $timeZone: String!) {
    cronTimes(cron: $cron, timeZone: $timeZone, first: 3)
  }
`);

export const createScheduleDocument = graphql(`
  mutation CreateSchedule($input: CreateScheduleInput!) {
    createSchedule(input: $input) {
      __typename
      ... on Schedule { id }
      ... on Invalid { issues { path message } }
      ... on Refusal { message }
    }
  }
`);

export const updateScheduleDocument = graphql(`
  mutation UpdateSchedule($input: UpdateScheduleInput!) {
    updateSchedule(input: $input) {
      __typename
      ... on Schedule { id }
      ... on Invalid { issues { path message } }
      ... on Refusal { message }
    }
  }
`);

export const deleteScheduleDocument = graphql(`
  mutation DeleteSchedule($id: ID!) {
    deleteSchedule(input: { scheduleId: $id }) {
      __typename
      ... on Refusal { message }
    }
  }
`);

export const triggerScheduleDocument = graphql(`
  mutation TriggerSchedule($id: ID!) {
    triggerSchedule(input: { scheduleId: $id }) {
      __typename
      ... on SubmitTaskSuccess { session { id } }
      ... on Refusal { message }
    }
  }
`);
