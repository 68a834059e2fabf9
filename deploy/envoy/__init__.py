"""The configuration of the Envoy in front: one template (``envoy.yaml.template``), rendered with few options.

python -m deploy.envoy --worker umpire-worker --tls-cert /tls/tls.crt --tls-key /tls/tls.key > envoy.yaml
"""
