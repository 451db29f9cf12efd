"""What Compose and Kubernetes read of the keys that the files here use, as JSON schemas; any other key is refused.

Written from the Compose specification and Kubernetes' API reference: a key that is new in a file is looked up
there and added here.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
PORT: Schema = {"type": "integer", "minimum": 1, "maximum": 65535}
TEXTS: Schema = {"type": "array", "items": TEXT}
BY_NAME: Schema = {"type": "object", "additionalProperties": TEXT}


def thing(*required: str, **keys: Schema) -> Schema:
    """An object of these keys and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {name.rstrip("_"): schema for name, schema in keys.items()},
    }


def each(schema: Schema) -> Schema:
    return {"type": "array", "items": schema, "minItems": 1}


def named(schema: Schema) -> Schema:
    return {"type": "object", "additionalProperties": schema}


def one_of(*schemas: Schema) -> Schema:
    return {"oneOf": list(schemas)}


DURATION: Schema = {"type": "string", "pattern": r"^(\d+(\.\d+)?(us|ms|s|m|h))+$"}
# [host address:]published:container; the address keeps what is published on this machine
PUBLISHED: Schema = {"type": "string", "pattern": r"^(\d{1,3}(\.\d{1,3}){3}:)?\d{1,5}:\d{1,5}$"}

SERVICE = thing(
    build=thing("context", context=TEXT, dockerfile=TEXT),
    depends_on=named(
        thing(
            "condition",
            condition={"enum": ["service_started", "service_healthy", "service_completed_successfully"]},
        )
    ),
    environment=BY_NAME,
    healthcheck=thing("test", test=TEXTS, interval=DURATION, retries=COUNT),
    ports=each(PUBLISHED),
    secrets=each(one_of(TEXT, thing("source", source=TEXT, mode=COUNT))),
    volumes=each({"type": "string", "pattern": r"^[\w.-]+:/"}),
)
COMPOSE = thing(
    "services", services=named(SERVICE), volumes=named(thing()), secrets=named(thing("file", file=TEXT))
)

QUANTITY: Schema = {"type": "string", "pattern": r"^\d+(\.\d+)?(m|k|M|G|Ki|Mi|Gi)?$"}
NAME: Schema = {"type": "string", "pattern": r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", "maxLength": 63}
NAMED_PORT = one_of(PORT, {**NAME, "maxLength": 15})
META = thing("name", name=NAME, labels=BY_NAME)
LABELS = thing("matchLabels", matchLabels=BY_NAME)
HTTP_GET = thing("port", path=TEXT, port=NAMED_PORT)
PROBE = thing(
    httpGet=HTTP_GET, tcpSocket=thing("port", port=NAMED_PORT), periodSeconds=COUNT, failureThreshold=COUNT
)
AMOUNTS = thing(cpu=QUANTITY, memory=QUANTITY)
CONTAINER = thing(
    "name",
    "image",
    name=NAME,
    image=TEXT,
    args=TEXTS,
    ports=each(thing("containerPort", name={**NAME, "maxLength": 15}, containerPort=PORT)),
    securityContext=thing(
        allowPrivilegeEscalation=FLAG, readOnlyRootFilesystem=FLAG, capabilities=thing(drop=TEXTS, add=TEXTS)
    ),
    startupProbe=PROBE,
    readinessProbe=PROBE,
    livenessProbe=PROBE,
    resources=thing(requests=AMOUNTS, limits=AMOUNTS),
    volumeMounts=each(thing("name", "mountPath", name=NAME, mountPath=TEXT, readOnly=FLAG)),
)
VOLUME = {
    **thing(
        "name",
        name=NAME,
        configMap=thing("name", name=NAME),
        secret=thing("secretName", secretName=NAME, defaultMode=COUNT),
        emptyDir=thing(medium={"enum": ["", "Memory"]}, sizeLimit=QUANTITY),
    ),
    "minProperties": 2,
    "maxProperties": 2,
}
POD = thing(
    "containers",
    terminationGracePeriodSeconds=COUNT,
    securityContext=thing(
        runAsNonRoot=FLAG,
        runAsUser=COUNT,
        fsGroup=COUNT,
        seccompProfile=thing("type", type={"enum": ["RuntimeDefault", "Localhost", "Unconfined"]}),
    ),
    containers=each(CONTAINER),
    volumes=each(VOLUME),
)
UPDATE = thing(
    type={"enum": ["RollingUpdate", "Recreate"]}, rollingUpdate=thing(maxUnavailable=COUNT, maxSurge=COUNT)
)
PEER = thing(namespaceSelector=LABELS, podSelector=LABELS)
INGRESS = thing(ports=each(thing("port", port=NAMED_PORT)), from_=each(PEER))


def kind(version: str, name: str, **keys: Schema) -> Schema:
    head = {"apiVersion": {"const": version}, "kind": {"const": name}, "metadata": META}
    return thing(*head, *keys, **head, **keys)


KUBERNETES = {
    "ConfigMap": kind("v1", "ConfigMap", data=BY_NAME),
    "Deployment": kind(
        "apps/v1",
        "Deployment",
        spec=thing(
            "selector",
            "template",
            replicas=COUNT,
            selector=LABELS,
            strategy=UPDATE,
            template=thing("metadata", "spec", metadata=thing(labels=BY_NAME, annotations=BY_NAME), spec=POD),
        ),
    ),
    "Service": kind(
        "v1",
        "Service",
        spec=thing(
            "ports", selector=BY_NAME, ports=each(thing("port", name=NAME, port=PORT, targetPort=NAMED_PORT))
        ),
    ),
    "NetworkPolicy": kind(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        spec=thing(
            "podSelector",
            podSelector=LABELS,
            policyTypes=each({"enum": ["Ingress", "Egress"]}),
            ingress={"type": "array", "items": INGRESS},
        ),
    ),
    "PodDisruptionBudget": kind(
        "policy/v1",
        "PodDisruptionBudget",
        spec=thing(
            "selector", minAvailable=one_of(COUNT, {"type": "string", "pattern": r"^\d+%$"}), selector=LABELS
        ),
    ),
}
