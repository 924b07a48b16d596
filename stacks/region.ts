/** Where everything is deployed unless `AWS_REGION` names another region; the first to have had durable functions. */
const USUAL_REGION = "us-east-2";

/** Regions that AWS has named as having Lambda durable functions, without which no evaluation could start. */
const DURABLE_REGIONS = [
  ...[USUAL_REGION, "us-east-1", "us-west-2"],
  ...["eu-central-1", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1"],
  ...["ap-east-1", "ap-northeast-1", "ap-south-1", "ap-southeast-1"],
  ...["ap-southeast-2", "ap-southeast-5", "ap-southeast-7"],
];

/** The region to deploy to; one that may lack durable functions is refused before anything is made in it. */
export function deployRegion(given: string | undefined): string {
  const region = given || USUAL_REGION;
  if (DURABLE_REGIONS.includes(region)) return region;
  throw new Error(
    `AWS_REGION is ${region}, which is not known to have Lambda durable functions. Deploy to one of ${DURABLE_REGIONS.join(", ")}, or, if AWS has them in ${region} by now, add it to stacks/region.ts.`,
  );
}
